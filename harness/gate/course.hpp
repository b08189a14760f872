#pragma once

#include "harness/gate/gate.hpp"
#include "harness/process/interrupt.hpp"

namespace ridgeline::gate {

/// How a gate proceeds until every case has a verdict: `course.measure()`, and
/// `course.interrupt()`, which ends the workers and stores what is known of the cases that are
/// left.
template <class Course>
record::RunStatus proceed(Course&& course) {
  try {
    course.measure();
    return record::RunStatus::finished;
  } catch (const process::Interrupted&) {
    course.interrupt();
    return record::RunStatus::interrupted;
  }
}

/// Rounds of pairs, until each case is decided or the budget is spent.
record::RunStatus measure_times(const GateSetup& setup, store::Store& store,
                                const GateObserver& observer);

/// On a device that gives counts: every case is executed once by a fresh process of each side, with
/// the same inputs, one side after the other, and is decided at once. There are no rounds, no pairs
/// and no budget: a case has the profile's time on each side.
record::RunStatus measure_counts(const GateSetup& setup, store::Store& store,
                                 const GateObserver& observer);

}  // namespace ridgeline::gate
