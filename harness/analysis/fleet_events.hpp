#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ridgeline::analysis {

/// Series that share a change are one event from this many on, when their changes lie within so many days.
inline constexpr std::size_t fleet_size = 10;
inline constexpr std::int64_t fleet_days = 2;

/// Groups of indices of `days`, each a change's day of one series, that are one event: the span of `fleet_days` days
/// that holds most comes first, and what it holds belongs to no other. Every index is in one group at most; groups are
/// in order of their days.
std::vector<std::vector<std::size_t>> fleet_events(std::span<const std::int64_t> days);

}  // namespace ridgeline::analysis
