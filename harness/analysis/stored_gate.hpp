#pragma once

#include <string>
#include <vector>

#include "harness/analysis/gate_plan.hpp"
#include "harness/record/gate.hpp"
#include "harness/record/run.hpp"
#include "harness/store/store.hpp"

namespace ridgeline::analysis {

/// One side of a gate from stored runs.
struct StoredSide {
  record::Run run;
  record::Device device;
  record::Environment environment;
  std::vector<record::Build> builds;
  std::vector<store::StoredMeasurement> measurements;
};

/// What differs between two environments, fact by fact, in words ("driver 570.1 -> 580.2").
struct EnvironmentChanges {
  std::vector<std::string> comparable;  // such runs are not compared unless the user accepts it
  std::vector<std::string> recorded;    // said, no more
};
EnvironmentChanges changes(const StoredSide& baseline, const StoredSide& candidate);

/// Names of all cases of both sides, each once, sorted.
std::vector<std::string> case_names(const StoredSide& baseline, const StoredSide& candidate);

/// A verdict on every one of `names` with its rule: outer join, no case is left out. `accept_changes`: judge although
/// the comparable environments differ; otherwise every measured case is invalid_environment.
std::vector<record::CaseVerdict> gate_stored(const StoredSide& baseline, const StoredSide& candidate,
                                             const std::vector<std::string>& names, const std::vector<CaseRule>& rules,
                                             const GatePlan& plan, bool accept_changes);

}  // namespace ridgeline::analysis
