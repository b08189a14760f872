#pragma once

#include "harness/present/gate_report.hpp"
#include "harness/store/examples.hpp"

/// Made-up gates for tests.
namespace ridgeline::present::examples {

/// A verdict with times: the ratio with its interval in percent.
inline record::CaseVerdict judged(const std::string& name, record::Verdict verdict, double change,
                                  double low, double high) {
  record::CaseVerdict made;
  made.case_name = made.baseline_case = name;
  made.verdict = verdict;
  made.delta = 0.03;
  made.baseline_ns = 1000;
  made.candidate_ns = 1000 + 10 * change;
  made.ratio = 1 + change / 100;
  made.ratio_low = 1 + low / 100;
  made.ratio_high = 1 + high / 100;
  made.pairs = 18;
  made.noise = 0.0042;
  made.p_value = 3.8147e-6;
  made.level = 3.5e-5;
  return made;
}

/// A verdict without times.
inline record::CaseVerdict said(const std::string& name, record::Verdict verdict,
                                const std::string& reason) {
  record::CaseVerdict made;
  made.case_name = made.baseline_case = name;
  made.verdict = verdict;
  made.delta = 0.03;
  made.reason = reason;
  return made;
}

/// One of every verdict, and an expectation in every state; sorted.
inline GateReport report() {
  using record::Verdict;
  GateReport report;
  report.gate.id = "20261120T124501Z-5f3a9c";
  report.gate.mode = record::GateMode::refs;
  report.gate.baseline = "main";
  report.gate.candidate = "HEAD";
  report.gate.baseline_run = "20261120T124501Z-aaaaaa";
  report.gate.candidate_run = "20261120T124501Z-bbbbbb";
  report.gate.command_line = "ridgeline gate --baseline-ref main --candidate-ref HEAD";
  report.gate.seed = 7;
  report.gate.alpha = 0.01;
  report.gate.cases = 12;
  report.gate.started = "2026-11-20T12:45:01Z";
  report.gate.finished = "2026-11-20T12:55:01Z";
  report.gate.status = record::RunStatus::finished;
  report.device = store::examples::device();
  report.notes = {"baseline main is 1a2b3c4 \"Tile by 64\"",
                  "candidate HEAD is 5d6e7f8 \"Tile by <128> | `x`\""};
  report.file = "results/synthetic-gpu.sqlite";
  report.repeat =
      "ridgeline gate --baseline-ref main --candidate-ref HEAD --seed 7 gemm/slow 'gemm/it'\\''s'";

  auto& all = report.verdicts;
  all.push_back(judged("gemm/fast/f32/n=512", Verdict::improvement, -11.25, -12, -10.5));
  all.push_back(judged("gemm/same/f32/n=512", Verdict::pass, -0.02, -0.4, 0.31));
  all.push_back(judged("gemm/slow/f32/n=512", Verdict::regression, 3.2, 2.9, 3.5));
  all.push_back(judged("gemm/slower/f32/n=512", Verdict::regression, 130, 126, 140));
  all.push_back(judged("gemm/known/f32/n=512", Verdict::regression, 250, 240, 260));
  all.back().expected = true;
  all.back().expectation = "checks for overflow now (until 2026-12-31)";
  all.push_back(judged("gemm/forgotten/f32/n=512", Verdict::regression, 5, 4, 6));
  all.back().expectation = "checks for overflow (until 2026-10-31, which is over)";
  all.back().expectation_over = true;
  all.push_back(judged("gemm/worse/f32/n=512", Verdict::regression, 9, 8, 10));
  all.back().expectation = "checks for overflow now (at most 5%, until 2026-12-31)";
  all.push_back(judged("gemm/repaired/f32/n=512", Verdict::pass, 0.1, -0.5, 0.7));
  all.back().expectation = "checks for overflow now (until 2026-12-31)";
  all.push_back(judged("gemm/noisy/f32/n=512", Verdict::undecided, 2.1, -3.3, 0));
  all.back().ratio_high.reset();
  all.back().dropped = 2;
  all.back().p_value = 0.2;
  all.back().smallest_effect = 0.0917;
  all.back().reason = "the budget is spent";
  all.push_back(judged("gemm/doubted/f32/n=512", Verdict::undecided, 900, 899, 901));
  all.back().doubt = record::Doubt::cluster;
  all.back().more_pairs = 8;
  all.push_back(judged("gemm/stutters/f32/n=512", Verdict::tail, 0.02, -0.4, 0.31));
  all.back().tail = record::Tail::launches;
  all.back().mean_ratio = 1.9;
  all.back().baseline_slow = 0.001;
  all.back().candidate_slow = 0.1;
  all.push_back(judged("gemm/unsettled/f32/n=512", Verdict::undecided, 0.9, -0.4, 1.31));
  all.back().tail_suspected = true;
  all.back().mean_ratio = 1.02;
  all.back().baseline_slow = 0;
  all.back().candidate_slow = 0.02;
  all.back().expectation = "checks for overflow now (until 2026-12-31)";
  all.push_back(said("gemm/wrong/f32/n=512", Verdict::wrong_result,
                     "candidate in round 2: element 3 is 7, not 8"));
  all.push_back(said("gemm/a|b`c*\n<d>&@e_f,100%:\x1b\xff\xef\xbf\xbf/f32/n=1", Verdict::crashed,
                     "baseline in round 1:\nsignal 11"));
  all.push_back(said("gemm/slept/f32/n=512", Verdict::timeout, "candidate in round 3: after 10 s"));
  all.push_back(said("gemm/gone/f32/n=512", Verdict::missing, "the candidate does not list it"));
  all.push_back(said("gemm/disturbed/f32/n=512", Verdict::invalid_environment,
                     "5 of 6 pairs were disturbed"));
  all.back().pairs = 1;
  all.back().dropped = 5;
  all.push_back(
      said("gemm/alone/f32/n=512", Verdict::no_baseline, "no process of the baseline was steady"));
  all.push_back(said("gemm/young/f32/n=512", Verdict::new_case, "the baseline does not list it"));
  all.back().baseline_case.clear();
  all.push_back(said("gemm/left_out/f32/n=512", Verdict::skipped, "too noisy here"));
  all.push_back(said("gemm/untouched/f32/n=512", Verdict::same_code, ""));
  all.push_back(said("gemm/later/f32/n=512", Verdict::not_measured,
                     "the budget of 10 min 00 s decides 12 of 40 cases"));
  sort_by_importance(all);
  report.exit_code = gate_exit_code(report.gate.status, all, false);
  return report;
}

/// A verdict on counts.
inline record::CaseVerdict counted(const std::string& name, record::Verdict verdict,
                                   const std::string& metric, std::optional<double> baseline,
                                   std::optional<double> candidate,
                                   const std::string& reason = {}) {
  record::CaseVerdict made;
  made.case_name = made.baseline_case = name;
  made.verdict = verdict;
  made.reason = reason;
  made.metric = metric;
  made.baseline_value = baseline;
  made.candidate_value = candidate;
  if (baseline && candidate && *baseline > 0) made.ratio = *candidate / *baseline;
  return made;
}

/// Of a device that gives counts; sorted.
inline GateReport counts_report() {
  using record::Verdict;
  GateReport report = examples::report();
  report.device = store::examples::counting_device();
  report.notes = {
      "the sides were built differently, and counts may differ for that alone: compiler ..."};
  report.verdicts = {
      counted("copy/strided/f32/n=512", Verdict::regression, "global_load_sectors", 512, 4096,
              "also worse: global_moved_bytes 16384 -> 131072"),
      counted("copy/new_atomics/f32/n=512", Verdict::regression, "atomics", 0, 1),
      counted("copy/known/f32/n=512", Verdict::regression, "barriers", 1, 2),
      counted("copy/wide/f32/n=512", Verdict::improvement, "global_load_requests", 128, 32),
      counted("copy/same/f32/n=512", Verdict::pass, "barriers", 2, 2,
              "all 9 judged metrics are equal"),
      counted("copy/within/f32/n=512", Verdict::pass, "dram_read_bytes", 1000000, 1000001),
      counted("copy/other/f32/n=512", Verdict::undecided, "re|gisters", 32, {},
              "cannot be compared: re|gisters (the baseline alone)"),
      said("copy/racy/f32/n=512", Verdict::wrong_result, "candidate: race (read after write)"),
      said("copy/tma/f32/n=512", Verdict::skipped, "unsupported: cp.async.bulk"),
  };
  report.verdicts[2].expected = true;
  report.verdicts[2].expectation = "waits once more (until 2026-12-31)";
  report.verdicts[5].delta = 0.01;
  sort_by_importance(report.verdicts);
  report.exit_code = gate_exit_code(report.gate.status, report.verdicts, false);
  return report;
}

}  // namespace ridgeline::present::examples
