#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/record/measurement.hpp"

namespace ridgeline::worker {

/// What stands behind `option`; empty where it is not among the arguments.
std::string value_of(const std::vector<std::string>& arguments, std::string_view option);

/// Throws a store Error that names the file; does nothing where that is "".
void write_told(const std::string& file, std::string_view text);

/// What to do about a finding of this check, as a line below it; empty where the finding says it.
std::string remedy_line(std::string_view check);

/// All metrics, and the sources with their counts.
std::string counts_text(const record::Measurement& measurement);

}  // namespace ridgeline::worker
