#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "harness/gate/side_processes.hpp"

namespace ridgeline::gate {

/// Measures cases of a gate once a round, which its processes begin, both sides next to each other.
class SideBySide {
 public:
  /// Keeps references. `tick` as of SideProcesses; `note` gets what people must know of how it is
  /// measured.
  SideBySide(const GateSetup& setup, store::Store& store, std::function<void()> tick,
             std::function<void(const std::string&)> note);

  struct Measured {
    Sides<std::optional<run::CaseResult>> results;  // when a worker cannot be started, that is the
                                                    // only one
    std::string one_by_one;  // why the sides can be measured one by one only: memory; empty when
                             // that is not so
  };
  /// `limits` are asked for whenever something is to be measured.
  Measured measure(const SideWorkers& workers, const GateCase& gate_case,
                   const std::function<run::CaseLimits()>& limits);

  SideProcesses& processes() { return processes_; }

 private:
  using Results = Sides<std::optional<run::CaseResult>>;
  Results measure_both(const SideWorkers& workers, const GateCase& gate_case,
                       const run::CaseLimits& limits);
  std::uint64_t layout(const GateCase& each, Side side);
  bool knows_layouts(const run::Worker& worker);

  const GateSetup& setup_;
  const std::function<void(const std::string&)> note_;
  SideProcesses processes_;
  std::set<const run::Worker*> without_layouts_;  // of which a note was made
};

}  // namespace ridgeline::gate
