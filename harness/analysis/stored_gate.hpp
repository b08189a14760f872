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

/// What differs between two runs, fact by fact, in words ("driver 570.1 -> 580.2").
struct EnvironmentChanges {
  std::vector<std::string> comparable;  // such runs are not compared unless the user accepts it
  std::vector<std::string> recorded;    // said, no more: of the environment, the profile and how workers were built
};
EnvironmentChanges changes(const StoredSide& baseline, const StoredSide& candidate);

/// Whether a worker could hash its code: what is not known is never the same as anything.
bool is_known_code(const std::string& code_hash);

/// Whether both sides ran the same code: all code hashes are known, and are the same by worker.
bool same_code(const StoredSide& baseline, const StoredSide& candidate);

/// Names of all cases of both sides, each once, sorted.
std::vector<std::string> case_names(const StoredSide& baseline, const StoredSide& candidate);

/// What gate_stored says.
struct StoredVerdicts {
  std::vector<record::CaseVerdict> verdicts;  // in the order of the names
  int cases = 0;                              // that both sides measured: what alpha is divided by
};

/// A verdict on every one of `names` with its rule: outer join, no case is left out. A process counts with the first
/// attempt that gave samples which nothing disturbed, and a failure in any attempt is a failure of the case: measuring
/// again may confirm, never erase. `accept_changes`: judge although the comparable environments differ; otherwise every
/// measured case is invalid_environment.
StoredVerdicts gate_stored(const StoredSide& baseline, const StoredSide& candidate,
                           const std::vector<std::string>& names, const std::vector<CaseRule>& rules,
                           const GatePlan& plan, bool accept_changes);

}  // namespace ridgeline::analysis
