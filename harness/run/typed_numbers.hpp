#pragma once

#include <optional>
#include <string_view>

namespace ridgeline::run {

inline constexpr double longest_duration_s = 30 * 24 * 3600.0;

/// Seconds of a duration as people write it: "200ns", "90s", "2m", "1h30m". Absent when `text` is
/// none, or not above 0, or too long.
std::optional<double> parse_duration(std::string_view text);

/// Seconds that --budget gives. Throws a usage Error.
double parse_budget(std::string_view text);

/// A fraction as people write it: "3%" and "0.03" are 0.03. Absent when `text` is none, or not
/// between 0 and 1 (both left out), so that a 3 that means 3% is noticed.
std::optional<double> parse_fraction(std::string_view text);

}  // namespace ridgeline::run
