#pragma once

#include <string>

#include "harness/base/json.hpp"
#include "harness/store/selector.hpp"

namespace ridgeline::present {

/// What a report draws of a gate: what `ridgeline show --json` says of it, and the rounds of each
/// case.
json::Value report_json(const store::FoundGate& found);

/// Prints a stored gate, or, with a pattern in `sampled`, the pairs of the cases that it picks.
/// Returns the exit code.
int show_gate(const store::FoundGate& found, const std::string& sampled, bool json);

}  // namespace ridgeline::present
