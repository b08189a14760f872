#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/analysis/gate_plan.hpp"
#include "harness/record/gate.hpp"
#include "harness/record/measurement.hpp"

// Counts are exact: one execution of each side decides, and nothing is left to chance.
namespace ridgeline::analysis {

/// What became of one metric of a case.
enum class Change {
  equal,     // of a metric that can be judged
  within,    // changed by no more than the rule allows
  worse,     // by more, against its direction
  better,    // by more, in its direction
  fact,      // has no direction: shown, never judged
  one_side,  // only one side has it, or the sides give it different units or directions: cannot be
             // judged
};

struct MetricChange {
  std::string name, unit;  // the candidate's, where it has the metric
  record::Direction direction = record::Direction::none;
  std::optional<double> baseline, candidate;
  double allowed = 0;  // relative, by the rule
  Change change = Change::equal;
};

/// All metrics of either side, by name. A change is as large as it is relative to the smaller of
/// both values, so that exchanging the sides turns worse into better and nothing else; from or to 0
/// it is beyond every rule.
std::vector<MetricChange> compare_metrics(std::span<const record::Metric> baseline,
                                          std::span<const record::Metric> candidate,
                                          const CaseRule& rule);

/// What of that differs at all, whatever its direction, in words: the largest change first.
std::vector<std::string> differences(const std::vector<MetricChange>& changes);

/// Candidate over baseline; absent unless both are above 0.
std::optional<double> ratio(const MetricChange& change);

/// Sets what the counts of both sides decide: regression when any metric is worse; else undecided
/// when one cannot be judged, or none can be; else improvement when any is better and the rule
/// looks for that; else pass. `metric` is the one that changed the most of those that decide,
/// `delta` what the rule allows it, and the reason names the others.
void judge_counts(record::CaseVerdict& verdict, std::span<const record::Metric> baseline,
                  std::span<const record::Metric> candidate, const CaseRule& rule);

}  // namespace ridgeline::analysis
