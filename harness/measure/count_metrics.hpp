#pragma once

#include <vector>

#include "harness/device/counts.hpp"
#include "harness/record/measurement.hpp"

namespace ridgeline::measure {

/// What `counts`, of one execution of a case, amount to: requests, sectors, bytes, wavefronts and ratios of them, each
/// with the direction that is better; docs/emulated-device.md has the names. What has no value is absent: a ratio of no
/// requests, DRAM bytes where the device has no model of caches, registers where nvcc's output is not known. Throws an
/// internal Error for a kind of access that is not known, because its traffic would be missing.
std::vector<record::Metric> count_metrics(const device::Counts& counts);

}  // namespace ridgeline::measure
