#pragma once

#include <string>
#include <vector>

#include "harness/analysis/gate_plan.hpp"
#include "harness/analysis/stored_side.hpp"
#include "harness/record/gate.hpp"

namespace ridgeline::analysis {

/// What gate_stored says.
struct StoredVerdicts {
  std::vector<record::CaseVerdict> verdicts;  // in the order of the names
  int cases = 0;  // that both sides measured, or counted: of times what alpha is divided by
};

/// A verdict on every one of `names` with its rule: outer join, no case is left out. A process
/// counts with the first attempt that gave samples which nothing disturbed, and a failure in any
/// attempt is a failure of the case: measuring again may confirm, never erase. Of a device that
/// gives counts, two executions with the same inputs are compared where there are such, else the
/// first of each side. `accept_changes`: judge although the comparable environments differ;
/// otherwise every measured case is invalid_environment. What is not decided may be in doubt, as
/// where the baseline is unsteady, and is undecided then; a candidate that is disturbed more often
/// than chance has it does not pass.
StoredVerdicts gate_stored(const StoredSide& baseline, const StoredSide& candidate,
                           const std::vector<std::string>& names,
                           const std::vector<CaseRule>& rules, const GatePlan& plan,
                           bool accept_changes);

}  // namespace ridgeline::analysis
