#pragma once

#include <string>
#include <vector>

#include "harness/store/selector.hpp"

namespace ridgeline::present {

/// The measurements of the cases that `pattern` picks, all of a case or none. Throws a usage Error
/// when it picks none.
std::vector<store::StoredMeasurement> measurements_of(
    std::vector<store::StoredMeasurement> measurements, const std::string& pattern);

/// Prints the annotated sources of the cases of a stored run that `pattern` picks. Returns the exit
/// code. Throws a usage Error when it picks none, or none that was counted.
int show_listing(const store::FoundRun& found, const std::string& pattern, bool json);

}  // namespace ridgeline::present
