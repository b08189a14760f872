#pragma once

#include <string>
#include <vector>

#include "harness/gate/gate.hpp"
#include "harness/gate/programs.hpp"

namespace ridgeline::gate {

/// Executes small problems of the variants that a gate times once on each side on an emulated
/// device, for some seconds at most, and marks the cases of variants that do something else there
/// (GateCase::counts_differ). Equal counts mark nothing and prove nothing: the same work can take
/// another time. Returns lines for people; that something cannot be counted is one of them, and
/// never an Error. Throws Interrupted alone.
std::vector<std::string> count_first(const Programs& programs, GateSetup& setup);

}  // namespace ridgeline::gate
