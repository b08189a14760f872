#pragma once

#include <set>
#include <string>
#include <vector>

#include "harness/record/run.hpp"
#include "harness/store/read_runs.hpp"

namespace ridgeline::analysis {

/// One side of a gate from stored runs.
struct StoredSide : store::StoredRun {
  std::vector<store::StoredMeasurement> measurements;
  std::string status;  // of the run, in words
};

/// What differs between the builds of two sides, in words: compiler, flags and CUDA, by worker.
std::vector<std::string> build_changes(const std::vector<record::Build>& baseline,
                                       const std::vector<record::Build>& candidate);

/// What differs between two environments, fact by fact, in words ("driver 570.1 -> 580.2"), but for
/// the facts called `left_out`.
std::vector<std::string> fact_changes(const record::Facts& baseline, const record::Facts& candidate,
                                      const std::set<std::string>& left_out = {});

/// What differs between two runs, in words, but for the recorded facts called `left_out`.
struct EnvironmentChanges {
  std::vector<std::string> comparable;  // such runs are not compared unless the user accepts it
  std::vector<std::string> recorded;    // said, no more: of the environment, the profile and how
                                      // workers were built; the last is comparable where there are
                                      // counts, which are the compiler's
};
EnvironmentChanges changes(const store::StoredRun& baseline, const store::StoredRun& candidate,
                           const std::set<std::string>& left_out = {});

/// Whether a worker could hash its code: what is not known is never the same as anything.
bool is_known_code(const std::string& code_hash);

/// Whether both sides ran the same code: all code hashes are known, and are the same by worker.
bool same_code(const store::StoredRun& baseline, const store::StoredRun& candidate);

/// Names of all cases of both sides, each once, sorted.
std::vector<std::string> case_names(const StoredSide& baseline, const StoredSide& candidate);

}  // namespace ridgeline::analysis
