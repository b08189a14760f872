#pragma once

#include <optional>
#include <string_view>

namespace ridgeline::run {

/// A fraction as people write it: "3%" and "0.03" are 0.03. Absent when `text` is none, or not between 0 and 1 (both
/// left out), so that a 3 that means 3% is noticed.
std::optional<double> parse_fraction(std::string_view text);

}  // namespace ridgeline::run
