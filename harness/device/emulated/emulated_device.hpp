#pragma once

#include <memory>

#include "harness/device/device.hpp"
#include "harness/device/emulated/machine.hpp"

namespace ridgeline::device::emulated {

/// An emulated GPU of that compute capability (80 or 90): what its architecture has, and no speeds. "emulated:sm_90".
/// Throws a usage Error for another one.
Facts facts(int capability);

/// Opens one; a process has one at a time. Launches run at once, and synchronize() throws what they found. Batches
/// cannot be timed: running one throws, because an emulated time means nothing.
std::unique_ptr<Device> open(int capability, const Settings& settings = {});

}  // namespace ridgeline::device::emulated
