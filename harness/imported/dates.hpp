#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ridgeline::imported {

/// A second of UTC, "2026-11-28T06:30:00Z", of "2026-11-28T07:30:00+01:00", also with a space for
/// the T, with fractions of a second, or without a zone, which counts as UTC. Empty when `text` is
/// none of these.
std::string utc_of(std::string_view text);

/// Of seconds since 1970; empty when they lie beyond the years 1970 to 9999.
std::string utc_of(std::int64_t seconds);

}  // namespace ridgeline::imported
