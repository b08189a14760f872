#pragma once

#include <string>

#include "harness/store/selector.hpp"

namespace ridgeline::present {

/// Prints the annotated sources of the cases of a stored run that `pattern` picks. Returns the exit
/// code. Throws a usage Error when it picks none, or none that was counted.
int show_listing(const store::FoundRun& found, const std::string& pattern, bool json);

}  // namespace ridgeline::present
