#pragma once

#include <string>
#include <vector>

#include "harness/analysis/count_decision.hpp"
#include "harness/store/read_runs.hpp"

namespace ridgeline::analysis {

/// One case that two counting devices have executed. Counts are exact: every change is one.
struct ComparedCounts {
  std::string name;
  std::vector<MetricChange> changed;  // metrics that are not equal, by name
  int equal = 0;                      // metrics that are
  bool other_inputs = false;  // no two executions had the same seed: what depends on the data may
                              // differ
  std::string not_compared;   // why nothing was compared; empty when something was
};

/// Cases that both have, in the order of by_case, those that any of `patterns` picks, or all.
/// Executions with the same inputs are compared where there are such, else the first of each side.
std::vector<ComparedCounts> compare_counts(const std::vector<store::StoredMeasurement>& a,
                                           const std::vector<store::StoredMeasurement>& b,
                                           const std::vector<std::string>& patterns);

}  // namespace ridgeline::analysis
