#pragma once

#include <span>
#include <vector>

#include "harness/analysis/gate_decision.hpp"

/// What the medians of a case's pairs say at each look. docs/statistics.md explains the rules.
namespace ridgeline::analysis {

/// The pairs of a case, as tests on medians take them.
struct MedianPairs {
  std::vector<double> ratios, baseline_ns;          // in logarithms; of those that count
  int dropped_baseline = 0, dropped_candidate = 0;  // alone
};

/// Throws Error when there are no pairs, or a time that counts is not positive and finite.
MedianPairs that_count(std::span<const PairedTimes> pairs);

/// Delta as a logarithm, after the floor at the median of these times; without any, without it.
double log_delta(const CaseRule& rule, std::span<const double> baseline_ns);

/// `decision`, decided.
Decision settled(Decision decision, record::Verdict verdict, double p_value, double level);

/// Replays every look at medians as decide() has it, and decides at the first that can. The
/// interval and the noise are left out, and so is delta where no look was reached.
Decision decide_by_medians(const GatePlan& plan, const CaseRule& rule, int cases,
                           std::span<const PairedTimes> pairs, bool last);

}  // namespace ridgeline::analysis
