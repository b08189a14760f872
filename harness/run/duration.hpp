#pragma once

#include <optional>
#include <string_view>

namespace ridgeline::run {

/// Seconds of a duration as people write it: "200ns", "90s", "2m", "1h30m". Absent when `text` is none, or not above 0.
std::optional<double> parse_duration(std::string_view text);

}  // namespace ridgeline::run
