#pragma once

#include <span>
#include <vector>

#include "harness/device/counts.hpp"
#include "harness/record/measurement.hpp"

namespace ridgeline::measure {

/// What nvcc's code of the launched kernels asks of an SM, the worst of them all: registers ("1"), spilled_bytes (B)
/// and static_shared_bytes (B), which are better lower, and theoretical_occupancy ("1"), which is better higher.
/// Nothing unless the machine code of every kernel is known, because the worst may be the one that is not.
std::vector<record::Metric> resource_metrics(std::span<const device::LaunchCount> kernels);

}  // namespace ridgeline::measure
