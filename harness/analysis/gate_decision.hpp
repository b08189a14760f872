#pragma once

#include <optional>
#include <span>

#include "harness/analysis/gate_plan.hpp"
#include "harness/analysis/gate_tail.hpp"
#include "harness/analysis/paired_times.hpp"
#include "harness/record/gate.hpp"
#include "harness/stats/interval.hpp"

namespace ridgeline::analysis {

/// What the pairs of one case say.
struct Decision {
  record::Verdict verdict = record::Verdict::undecided;  // regression, tail, improvement, pass or
                                                         // undecided
  bool decided = false;  // false: go on measuring, or, when it was the last look, undecided for
                         // good
  int pairs = 0;         // that it stands on: those of the deciding look, else all
  double delta = 0;      // in logarithms, after the floor
  std::optional<double> estimate;  // log ratio; absent when no pair counts
  stats::Interval interval{-stats::unbounded, stats::unbounded};  // unadjusted, 95%, log ratio
  std::optional<double> noise;     // robust standard deviation of the log ratios; from 3 pairs on
  double p_value = 1, level = 0;   // of the test that decided; of the test for a regression at the
                                   // latest look otherwise
  std::optional<PairShape> shape;  // means over all pairs that count
  std::optional<record::Tail> tail;
  bool tail_suspected = false;
  std::optional<SlowProcessCounts> slow;  // of a tail, or of one that is suspected
};

/// Of a logarithm; absent when that is absent or infinite.
std::optional<double> ratio_of(std::optional<double> logarithm);
/// Sets delta, ratio, interval, noise, probabilities and what is known of tails to those of
/// `decision`.
void set_numbers(record::CaseVerdict& verdict, const Decision& decision);

/// Delta as a logarithm, after the floor. Throws Error when there are no pairs.
double log_delta(const CaseRule& rule, std::span<const PairedTimes> pairs);

/// Log ratios of the medians that count.
std::vector<double> differences(std::span<const PairedTimes> pairs);

/// Whether the pairs of the screening rounds make a case a suspect: they hint at a tail or at a
/// slower median, and the medians alone have not found a regression by then.
bool is_suspect(const GatePlan& plan, const CaseRule& rule, int cases,
                std::span<const PairedTimes> pairs);

/// Replays every look that the pairs (in the order of rounds) have reached, for one of `cases`
/// cases, and decides at the first that can. A look is reached by the number of pairs that count.
/// What would pass, or be an improvement, waits for the screening, and a suspect until its tail is
/// shown or cleared, or was tested to the end: one whose tail was not tested is undecided. A
/// candidate that was disturbed counts as infinitely slow for a pass; one that
/// is disturbed more often than chance has it does not pass. `last` says that no more pairs will
/// come: when the pairs lie between two looks, or stop short of the plan, a final look spends all
/// that is left of the case's levels, which is as safe as the plan because when time runs out does
/// not depend on which side is faster. Throws Error when there are no pairs, or a time that counts
/// is not positive and finite.
Decision decide(const GatePlan& plan, const CaseRule& rule, int cases,
                std::span<const PairedTimes> pairs, bool last, const Screening& screening = {});

/// Whether these pairs are as many as a look has, at medians or at the tail of a suspect, so that
/// decide() may say something new.
bool is_at_look(const GatePlan& plan, std::span<const PairedTimes> pairs,
                const Screening& screening);

/// The relative slow-down that `max_pairs` pairs find with 80% power, judged by the pairs so far:
/// about. Absent with fewer than 6 pairs that count, and where no slow-down can be found.
std::optional<double> smallest_effect(const GatePlan& plan, const CaseRule& rule, int cases,
                                      std::span<const PairedTimes> pairs, int max_pairs);

/// Throws Error unless the plan and the rule can be judged by, over `cases`.
void check(const GatePlan& plan, const CaseRule& rule, int cases);
/// Throws Error unless a time is positive and finite.
void check_time(double time_ns);
/// A normal distribution's standard deviation by the median absolute deviation. Throws when there
/// are no values.
double robust_sd(std::span<const double> values);

}  // namespace ridgeline::analysis
