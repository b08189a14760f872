#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace ridgeline {

/// The day of "2026-01-31"; nothing for any other text, and for a day that no calendar has.
std::optional<std::chrono::sys_days> parse_day(std::string_view text);

}  // namespace ridgeline
