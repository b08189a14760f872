#pragma once

#include <string>
#include <vector>

#include "harness/gate/gate.hpp"
#include "harness/gate/side_processes.hpp"
#include "harness/store/store.hpp"

namespace ridgeline::gate {

/// The course of a gate on a device that gives counts: every case is executed once by a fresh process of each side,
/// with the same inputs, one side after the other, and is decided at once. There are no rounds, no pairs and no budget:
/// a case has the profile's time on each side.
class CountedGate {
 public:
  /// Keeps references; stores the verdicts that are settled already.
  CountedGate(const GateSetup& setup, store::Store& store, const GateObserver& observer);

  void measure();
  /// Ends the workers, and stores that the cases that are left were not reached.
  void interrupt();

 private:
  void measure(const SideWorkers& workers, const GateCase& gate_case);
  Sides<std::optional<run::CaseResult>> count(const SideWorkers& workers, const GateCase& gate_case);
  record::CaseVerdict verdict_of(const GateCase& gate_case, const Sides<std::optional<run::CaseResult>>& results) const;
  GateProgress progress() const;

  const GateSetup& setup_;
  store::Store& store_;
  const GateObserver& observer_;
  const std::uint64_t seed_;
  std::vector<const GateCase*> left_;  // without a verdict
  std::string case_name_;
  SideProcesses processes_;
};

}  // namespace ridgeline::gate
