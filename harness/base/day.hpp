#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace ridgeline {

/// The day of "2026-01-31"; nothing for any other text, and for a day that no calendar has.
std::optional<std::chrono::sys_days> parse_day(std::string_view text);

/// Whether `text` is a second of UTC that there is: "2026-01-31T23:59:59Z".
bool is_point_in_time(std::string_view text);

/// That second; nothing for any other text.
std::optional<std::chrono::sys_seconds> parse_point_in_time(std::string_view text);

}  // namespace ridgeline
