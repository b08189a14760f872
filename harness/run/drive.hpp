#pragma once

#include <functional>
#include <string>
#include <vector>

#include "harness/record/measurement.hpp"
#include "harness/record/run.hpp"
#include "harness/run/profile.hpp"
#include "harness/run/selection.hpp"
#include "harness/store/read_runs.hpp"
#include "harness/store/store.hpp"

namespace ridgeline::run {

/// All that is decided before anything is measured.
struct Plan {
  Profile profile;  // with what the command line changed
  record::Device device;
  std::vector<Selected> cases;
  record::Run run;
  std::vector<store::StoredMeasurement> earlier;  // that the run has, when it is resumed
};

/// The executions of the plan's cases that are left to do.
int executions_left(const Plan& plan);

/// How far a run is.
struct Progress {
  int done = 0, total = 0;  // executions of cases
  int cut_off = 0;          // executions of measured cases that the budget has left no time for
  int replicate = 0, processes = 1;
  std::string case_name;  // being measured
  double left_s = 0;      // expected
};

struct Observer {
  std::function<void(const Progress&)> tick;  // when a case starts, and a few times a second
  /// The measurement is in the store, whatever happens next.
  std::function<void(const Progress&, const Selected&, const record::Measurement&)> stored;
};

/// Measures what is left of the plan: each replicate in a process of its own and in an order of its
/// own, every measurement stored at once. Returns finished, or interrupted when the user asked to
/// stop; the run in the store says the same. Store errors are thrown.
record::RunStatus drive(const Plan& plan, store::Store& store, const Observer& observer);

}  // namespace ridgeline::run
