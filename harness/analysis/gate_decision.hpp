#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "harness/analysis/gate_plan.hpp"
#include "harness/record/gate.hpp"
#include "harness/stats/interval.hpp"

namespace ridgeline::analysis {

/// Medians of the two processes of one round.
struct PairedTimes {
  double baseline_ns = 0, candidate_ns = 0;
};

/// What the pairs of one case say.
struct Decision {
  record::Verdict verdict = record::Verdict::undecided;  // regression, improvement, pass or
                                                         // undecided
  bool decided = false;      // false: go on measuring, or, when it was the last look, undecided for
                             // good
  int pairs = 0;             // that it stands on: those of the deciding look, else all
  double delta = 0;          // in logarithms, after the floor
  double estimate = 0;       // log ratio
  stats::Interval interval;  // unadjusted, 95%, log ratio; ends may be infinite
  double noise = 0;          // robust standard deviation of the log ratios
  double p_value = 1, level = 0;  // of the test that decided; of the test for a regression at the
                                  // latest look otherwise
};

/// Of a logarithm; absent when it is infinite.
std::optional<double> ratio_of(double logarithm);
/// Sets delta, ratio, interval, noise and probabilities to those of `decision`.
void set_numbers(record::CaseVerdict& verdict, const Decision& decision);

/// Replays every look that the pairs (in the order of rounds) have reached, for one of `cases`
/// cases, and decides at the first that can. `last` says that no more pairs will come: when the
/// pairs lie between two looks, or stop short of the plan, a final look spends all that is left of
/// the case's levels, which is as safe as the plan because when time runs out does not depend on
/// which side is faster. Throws Error when there are no pairs, or a time is not positive and
/// finite.
Decision decide(const GatePlan& plan, const CaseRule& rule, int cases,
                std::span<const PairedTimes> pairs, bool last);

/// The relative slow-down that `max_pairs` pairs find with 80% power, judged by the pairs so far:
/// about (on noisy CPUs up to twice too high). Absent with fewer than 6 pairs or when their 80%
/// interval has no bounds.
std::optional<double> smallest_effect(const GatePlan& plan, const CaseRule& rule, int cases,
                                      std::span<const PairedTimes> pairs, int max_pairs);

/// What process medians of two runs say: one unpaired look with the rank-sum test.
Decision decide_unpaired(const GatePlan& plan, const CaseRule& rule, int cases,
                         std::span<const double> baseline_ns, std::span<const double> candidate_ns);

/// Whether the rank-sum test can reach a p value of `level` with so many processes on the two
/// sides: the rarest of their orders has the probability 1 / C(first + second, first).
bool can_reach(std::size_t first, std::size_t second, double level);

/// Processes a side below which decide_unpaired can never raise an alarm.
int least_processes(const CaseRule& rule, int cases);

}  // namespace ridgeline::analysis
