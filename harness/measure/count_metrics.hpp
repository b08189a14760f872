#pragma once

#include <span>
#include <vector>

#include "harness/device/counts.hpp"
#include "harness/device/device.hpp"
#include "harness/record/measurement.hpp"

namespace ridgeline::measure {

/// What `counts`, of one execution of a case, amount to: requests, sectors, bytes, wavefronts and
/// ratios of them, each with the direction that is better; docs/emulated-device.md has the names.
/// What has no value is absent: a ratio of no requests, DRAM bytes where the device has no model of
/// caches, registers where nvcc's output is not known. Throws an internal Error for a kind of
/// access that is not known, because its traffic would be missing.
std::vector<record::Metric> count_metrics(const device::Counts& counts);

/// What nvcc's code of the launched kernels asks of an SM, the worst of them all: registers ("1"),
/// spilled_bytes (B) and static_shared_bytes (B), which are better lower, and theoretical_occupancy
/// ("1"), which is better higher. Nothing unless the machine code of every kernel is known, because
/// the worst may be the one that is not.
std::vector<record::Metric> resource_metrics(std::span<const device::LaunchCount> kernels);

/// What the code of kernels that are timed needs, the worst of them all: registers ("1"),
/// local_bytes (B) and static_shared_bytes (B), which are better lower. Nothing without kernels.
std::vector<record::Metric> loaded_metrics(std::span<const device::LoadedKernel> kernels);

}  // namespace ridgeline::measure
