#pragma once

#include <memory>

#include "harness/gate/gate.hpp"

namespace ridgeline::gate {

/// How a gate proceeds until every case has a verdict. Keeps references; stores the verdicts that are settled already.
class Course {
 public:
  virtual ~Course() = default;
  virtual void measure() = 0;
  /// Ends the workers, and stores what is known of the cases that are left.
  virtual void interrupt() = 0;
};

/// Rounds of pairs, until each case is decided or the budget is spent.
std::unique_ptr<Course> timed_course(const GateSetup& setup, store::Store& store, const GateObserver& observer);

/// On a device that gives counts: every case is executed once by a fresh process of each side, with the same inputs,
/// one side after the other, and is decided at once. There are no rounds, no pairs and no budget: a case has the
/// profile's time on each side.
std::unique_ptr<Course> counted_course(const GateSetup& setup, store::Store& store, const GateObserver& observer);

}  // namespace ridgeline::gate
