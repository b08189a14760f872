#include "harness/gate/case_verdict.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/core.h>

#include "harness/analysis/gate_power.hpp"
#include "harness/base/units.hpp"
#include "harness/record/rules.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::gate {
namespace {

using record::Outcome;
using record::Verdict;

constexpr double out_of_proportion = 10;  // times as long as ever before ...
constexpr double least_hang_s = 3;  // ... and at least this long: loading a page can take ten times
                                    // as long, too

bool absent(Outcome outcome) {
  return outcome == Outcome::unsupported || outcome == Outcome::unavailable;
}

std::string words(const record::Measurement& measurement) {
  return fmt::format("{}: {}", record::to_string(measurement.outcome), measurement.reason);
}

/// Medians over the first `count` pairs that count.
void add_times(record::CaseVerdict& verdict, const std::vector<analysis::PairedTimes>& times,
               int count) {
  std::vector<double> baseline, candidate;
  for (const analysis::PairedTimes& pair : times) {
    if (std::ssize(baseline) == count) break;
    if (pair.disturbed != analysis::Disturbed::neither) continue;
    baseline.push_back(pair.baseline_ns);
    candidate.push_back(pair.candidate_ns);
  }
  verdict.baseline_ns = stats::median(baseline);
  verdict.candidate_ns = stats::median(candidate);
}

analysis::Disturbed disturbed(const record::Drop& dropped) {
  if (!dropped.any()) return analysis::Disturbed::neither;
  if (dropped.candidate.empty()) return analysis::Disturbed::baseline;
  return dropped.baseline.empty() ? analysis::Disturbed::candidate : analysis::Disturbed::both;
}

/// Drops of one side more often than of the other, in words; empty when there are none.
std::string leaning(const CasePairs& pairs) {
  const auto [baseline, candidate] = pairs.dropped_alone;
  if (baseline == candidate) return {};
  return fmt::format(
      "the candidate alone was disturbed in {}, the baseline alone in {}; the latest: {}",
      units::plural(candidate, "round"), baseline, to_text(pairs.latest_drop));
}

void add_reason(std::string& reason, const std::string& more) {
  if (more.empty()) return;
  reason += (reason.empty() ? "" : "; ") + more;
}

/// How many processes are slow of a case that has a tail, or may have one; empty when that says
/// nothing.
std::string slow_processes(const analysis::Decision& decision) {
  if (!decision.slow) return {};
  const auto& [rounds, baseline, candidate, enough] = *decision.slow;
  std::string text;
  if (candidate > baseline)
    text = fmt::format("slow processes {} of {} -> {} of {}", baseline, rounds, candidate, rounds);
  if (!decision.tail)
    add_reason(text,
               enough > rounds
                   ? fmt::format("{} tested processes show no tail, whatever they are", rounds)
                   : fmt::format("{} slow processes against none would show a tail", enough));
  return text;
}

/// What a case that was not decided is to be doubted for.
void add_doubts(record::CaseVerdict& made, const GateSetup& setup, const GateCase& gate_case,
                const CasePairs& pairs, double delta) {
  const analysis::CaseRule& rule = gate_case.rule;
  const std::optional<double> limit = analysis::doubted_above(rule, delta);
  if (!limit) return;
  const std::vector<double> ratios = analysis::differences(pairs.times);
  made.doubt = analysis::doubt_of(ratios, *limit, setup.gate.cases);
  made.more_pairs =
      analysis::more_pairs(ratios, *limit, setup.plan.shift, rule.alpha / setup.gate.cases);
  if (made.doubt) return;
  const std::optional<record::Tail> tail =
      analysis::tail_in_doubt(pairs.times, *limit, setup.gate.cases);
  const bool throttles = tail == record::Tail::throttles;
  // What is slower throughout, as expected, has slow samples, too.
  const bool expects = rule.expected && !rule.expectation_over;
  const bool matters = rule.tails == analysis::Tails::fail && !expects;
  if (!throttles && !(tail && matters)) return;
  made.doubt = record::Doubt::exact;
  made.tail_suspected = made.tail_suspected || !throttles;
}

/// Whether a case that was decided is as slow as the rules expect it to be. A regression near delta
/// may be shown first by what moves with the median.
bool is_expected(const analysis::CaseRule& rule, const record::CaseVerdict& made) {
  const auto is_as_expected = [&](const std::optional<double>& ratio) {
    return analysis::is_as_expected(rule, ratio.value_or(HUGE_VAL));
  };
  if (made.verdict == Verdict::regression) return is_as_expected(made.ratio);
  const bool moves_alike = made.tail == record::Tail::processes ||
                           made.tail == record::Tail::means || made.tail == record::Tail::nineties;
  return made.verdict == Verdict::tail && moves_alike && is_as_expected(made.ratio) &&
         is_as_expected(made.mean_ratio) && is_as_expected(made.ninetieth_ratio);
}

}  // namespace

void add(CasePairs& pairs, const MeasuredPair& measured) {
  const record::Pair& pair = measured.pair;
  const analysis::Disturbed by = disturbed(pair.dropped);
  // The rounds of a case count from when it was taken on.
  pairs.times.push_back({pair.baseline_ns, pair.candidate_ns, pairs.rounds(), by, measured.shape});
  if (by == analysis::Disturbed::neither) {
    ++pairs.kept;
    return;
  }
  ++pairs.dropped;
  pairs.latest_drop = pair.dropped;
  if (by == analysis::Disturbed::baseline) ++pairs.dropped_alone.baseline;
  if (by == analysis::Disturbed::candidate) ++pairs.dropped_alone.candidate;
}

record::Drop drop_of(const Sides<run::CaseResult>& results) {
  const auto disturbed = [&](Side side) {
    const auto& measurement = results[side].measurement;
    // Of an output that nobody verified, the outcome says nothing about the machine.
    const bool any = measurement.outcome == Outcome::invalid_environment ||
                     results[side].paused_s > 0 ||
                     !record::disturbance(measurement.telemetry).empty();
    return any ? measurement.reason : std::string();
  };
  return {disturbed(Side::baseline), disturbed(Side::candidate)};
}

bool hangs(double spent_s, double known_s) {
  return known_s > 0 && spent_s >= std::max(least_hang_s, out_of_proportion * known_s);
}

record::CaseVerdict verdict_on(const GateCase& gate_case, Verdict verdict,
                               const std::string& reason) {
  record::CaseVerdict made;
  made.case_name = gate_case.candidate.name;
  made.baseline_case = gate_case.baseline.name;
  made.verdict = verdict;
  made.reason = reason;
  made.delta = gate_case.rule.delta;
  made.expectation = gate_case.rule.expectation;
  made.expectation_over = gate_case.rule.expectation_over;
  return made;
}

record::CaseVerdict judge(const GateSetup& setup, const GateCase& gate_case, const CasePairs& pairs,
                          const analysis::Screening& screening, bool last,
                          const std::string& reason, int max_pairs) {
  record::CaseVerdict made = verdict_on(gate_case, Verdict::undecided, last ? reason : "");
  made.dropped = pairs.dropped;
  made.dropped_baseline = pairs.dropped_alone.baseline;
  made.dropped_candidate = pairs.dropped_alone.candidate;
  if (pairs.times.empty()) return made;
  const analysis::Decision decision =
      analysis::decide(setup.plan, gate_case.rule, setup.gate.cases, pairs.times, last, screening);
  made.pairs = decision.pairs;
  if (pairs.kept > 0 || decision.decided) analysis::set_numbers(made, decision);
  if (pairs.kept > 0) add_times(made, pairs.times, decision.pairs);
  if (decision.decided) {
    made.verdict = decision.verdict;
    made.reason = decision.tail == record::Tail::throttles ? leaning(pairs) : "";
    add_reason(made.reason, slow_processes(decision));
    made.expected = is_expected(gate_case.rule, made);
    return made;
  }
  if (last) add_doubts(made, setup, gate_case, pairs, decision.delta);
  if (last && !made.doubt && pairs.dropped > 0 && pairs.kept < setup.plan.looks.front()) {
    made.verdict = Verdict::invalid_environment;
    made.more_pairs.reset();
    made.reason = fmt::format("{} of {} pairs were disturbed, and {} are too few to judge by",
                              pairs.dropped, pairs.rounds(), pairs.kept);
    const std::string leans = leaning(pairs);
    add_reason(made.reason, leans.empty() ? "the latest: " + to_text(pairs.latest_drop) : leans);
    return made;
  }
  made.smallest_effect =
      analysis::smallest_effect(setup.plan, gate_case.rule, setup.gate.cases, pairs.times,
                                std::max(max_pairs, std::max(pairs.kept, 1)));
  if (!last) return made;
  add_reason(made.reason, leaning(pairs));
  add_reason(made.reason, slow_processes(decision));
  return made;
}

std::optional<record::CaseVerdict> ended_by(const GateCase& gate_case,
                                            const Sides<std::optional<run::CaseResult>>& results,
                                            std::optional<int> round, int measured) {
  constexpr std::pair<Outcome, Verdict> failures[] = {
      {Outcome::wrong_result, Verdict::wrong_result},
      {Outcome::crashed, Verdict::crashed},
      {Outcome::timeout, Verdict::timeout}};
  const auto when = [&](Side side) {
    return fmt::format("{}{}", to_string(side),
                       round ? fmt::format(" in round {}", *round + 1) : "");
  };
  const auto ended_with = [&](Side side, Outcome outcome) {
    return results[side] && results[side]->measurement.outcome == outcome;
  };
  // No change explains what both sides have.
  const char* const both = ended_with(Side::baseline, Outcome::wrong_result) &&
                                   ended_with(Side::candidate, Outcome::wrong_result)
                               ? "; the baseline is wrong, too: doubt what outputs are compared "
                                 "with and how closely, or the kernels of both sides"
                               : "";
  for (const auto& [outcome, verdict] : failures)
    for (const Side side : {Side::candidate, Side::baseline})
      if (ended_with(side, outcome))
        return verdict_on(
            gate_case, verdict,
            fmt::format("{}: {}{}", when(side), results[side]->measurement.reason, both));
  const auto lacks = [&](Side side) {
    return results[side] && absent(results[side]->measurement.outcome);
  };
  // In its first round a case shows whether there is one. Later it is a fault, which must not take
  // away what was measured.
  if (measured > 0)
    for (const Side side : {Side::candidate, Side::baseline})
      if (lacks(side)) {
        const record::Measurement& lost = results[side]->measurement;
        return verdict_on(gate_case, Verdict::crashed,
                          fmt::format("{}: was measured in {} and then said {}: {}", when(side),
                                      units::plural(measured, "round"),
                                      record::to_string(lost.outcome), lost.reason));
      }
  const auto said = [&](Side side) {
    return fmt::format("{} {}", to_string(side), words(results[side]->measurement));
  };
  if (lacks(Side::baseline) && lacks(Side::candidate))
    return verdict_on(gate_case, Verdict::skipped, words(results.candidate->measurement));
  if (lacks(Side::candidate)) return verdict_on(gate_case, Verdict::missing, said(Side::candidate));
  if (lacks(Side::baseline)) return verdict_on(gate_case, Verdict::new_case, said(Side::baseline));
  // A worker may leave verification out, but is then set against nothing that was verified. A side
  // without times says nothing of that.
  const auto unverified = [&](Side side) {
    return results[side] && results[side]->measurement.outcome == Outcome::unverified;
  };
  const auto verified = [&](Side side) {
    return results[side] && results[side]->measurement.verification.has_value();
  };
  if (unverified(Side::candidate) && verified(Side::baseline))
    return verdict_on(gate_case, Verdict::missing, said(Side::candidate));
  if (unverified(Side::baseline) && verified(Side::candidate))
    return verdict_on(gate_case, Verdict::no_baseline, said(Side::baseline));
  return std::nullopt;
}

record::CaseVerdict too_large(const GateSetup& setup, const GateCase& gate_case,
                              const CasePairs& pairs, const analysis::Screening& screening,
                              const std::string& one_by_one) {
  constexpr std::string_view what = "both sides do not fit into memory together";
  const int before = pairs.rounds();
  if (before == 0) {
    record::CaseVerdict skipped =
        verdict_on(gate_case, Verdict::skipped, fmt::format("{}: {}", what, one_by_one));
    skipped.no_room = true;
    return skipped;
  }
  const std::string why =
      fmt::format("{} any more, after {}: {}", what, units::plural(before, "round"), one_by_one);
  // What came before does not make it pass, but may speak against it.
  record::CaseVerdict so_far = judge(setup, gate_case, pairs, screening, true, "", 0);
  if (so_far.verdict != Verdict::regression && so_far.verdict != Verdict::tail && !so_far.doubt)
    return verdict_on(gate_case, Verdict::invalid_environment, why);
  add_reason(so_far.reason, why);
  return so_far;
}

}  // namespace ridgeline::gate
