#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/gate/timed_cases.hpp"

/// What a gate that measures times says of its course.
namespace ridgeline::gate {

/// Why no more can be said of a case that was measured.
std::string why_undecided(const GateSetup& setup, const TimedCase& state);
/// Why a case is undecided that cannot have enough rounds.
std::string why_given_up(const GateSetup& setup, const TimedCases& cases);
/// Why others were measured in a case's place.
std::string why_not_measured(const GateSetup& setup, const TimedCases& cases);

/// Which tails could have been found, by the suspects that there were, or would have been, by a
/// suspect, where there was none and the budget had all rounds (`all_rounds`). What samples hide is
/// said in any case. Empty where no tails were looked for.
std::string tails_in_reach(const GateSetup& setup, const TimedCases& cases, bool all_rounds);

/// The slow-down that half of the cases which can find any find; none where none can.
std::optional<double> typical_effect(const std::vector<record::CaseVerdict>& verdicts);

}  // namespace ridgeline::gate
