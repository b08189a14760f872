#include "harness/run/case_verdict.hpp"

#include <cmath>

#include <fmt/format.h>

#include "harness/stats/median.hpp"

namespace ridgeline::run {
namespace {

using record::Outcome;
using record::Verdict;

std::optional<double> ratio(double logarithm) {
  if (!std::isfinite(logarithm)) return std::nullopt;
  return std::exp(logarithm);
}

bool absent(Outcome outcome) { return outcome == Outcome::unsupported || outcome == Outcome::unavailable; }

std::string words(const record::Measurement& measurement) {
  return fmt::format("{}: {}", record::to_string(measurement.outcome), measurement.reason);
}

/// Medians over the pairs that the decision stands on.
void add_times(record::CaseVerdict& verdict, const std::vector<analysis::PairedTimes>& times, int count) {
  std::vector<double> baseline, candidate;
  for (int i = 0; i < count; ++i) {
    baseline.push_back(times[static_cast<std::size_t>(i)].baseline_ns);
    candidate.push_back(times[static_cast<std::size_t>(i)].candidate_ns);
  }
  verdict.baseline_ns = stats::median(baseline);
  verdict.candidate_ns = stats::median(candidate);
}

}  // namespace

record::CaseVerdict verdict_on(const GateCase& gate_case, Verdict verdict, const std::string& reason) {
  record::CaseVerdict made;
  made.case_name = gate_case.candidate.name;
  made.baseline_case = gate_case.baseline.name;
  made.verdict = verdict;
  made.reason = reason;
  made.delta = gate_case.rule.delta;
  made.expectation = gate_case.rule.expectation;
  return made;
}

record::CaseVerdict judge(const GateSetup& setup, const GateCase& gate_case, const CasePairs& pairs, bool last,
                          const std::string& reason, int max_pairs) {
  const int kept = static_cast<int>(pairs.times.size());
  record::CaseVerdict made = verdict_on(gate_case, Verdict::undecided, last ? reason : "");
  made.dropped = pairs.dropped;
  if (last && pairs.dropped > 0 && kept < setup.plan.looks.front()) {
    made.verdict = Verdict::invalid_environment;
    made.reason = fmt::format("{} of {} pairs were disturbed, and {} are too few to judge by; the latest: {}",
                              pairs.dropped, pairs.dropped + kept, kept, pairs.why_dropped);
  }
  if (kept == 0) return made;
  const analysis::Decision decision = analysis::decide(setup.plan, gate_case.rule, setup.gate.cases, pairs.times, last);
  made.pairs = decision.pairs;
  made.delta = std::expm1(decision.delta);
  add_times(made, pairs.times, decision.pairs);
  made.ratio = ratio(decision.estimate);
  made.ratio_low = ratio(decision.interval.low);
  made.ratio_high = ratio(decision.interval.high);
  made.noise = decision.noise;
  made.p_value = decision.p_value;
  made.level = decision.level;
  if (made.verdict == Verdict::invalid_environment) return made;
  if (decision.decided) {
    made.verdict = decision.verdict;
    made.reason.clear();
    made.expected =
        made.verdict == Verdict::regression && analysis::is_as_expected(gate_case.rule, made.ratio.value_or(HUGE_VAL));
  } else {
    made.smallest_effect =
        analysis::smallest_effect(setup.plan, gate_case.rule, setup.gate.cases, pairs.times, std::max(max_pairs, kept));
  }
  return made;
}

std::optional<record::CaseVerdict> ended_by(const GateCase& gate_case, const Sides<std::optional<CaseResult>>& results,
                                            int round) {
  constexpr std::pair<Outcome, Verdict> failures[] = {{Outcome::wrong_result, Verdict::wrong_result},
                                                      {Outcome::crashed, Verdict::crashed},
                                                      {Outcome::timeout, Verdict::timeout}};
  for (const auto& [outcome, verdict] : failures)
    for (const Side side : {Side::candidate, Side::baseline})
      if (results[side] && results[side]->measurement.outcome == outcome)
        return verdict_on(
            gate_case, verdict,
            fmt::format("{} in round {}: {}", to_string(side), round + 1, results[side]->measurement.reason));
  const auto lacks = [&](Side side) { return results[side] && absent(results[side]->measurement.outcome); };
  const auto said = [&](Side side) { return fmt::format("{} {}", to_string(side), words(results[side]->measurement)); };
  if (lacks(Side::baseline) && lacks(Side::candidate))
    return verdict_on(gate_case, Verdict::skipped, words(results.candidate->measurement));
  if (lacks(Side::candidate)) return verdict_on(gate_case, Verdict::missing, said(Side::candidate));
  if (lacks(Side::baseline)) return verdict_on(gate_case, Verdict::new_case, said(Side::baseline));
  return std::nullopt;
}

}  // namespace ridgeline::run
