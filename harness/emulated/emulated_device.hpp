#pragma once

#include <memory>

#include "harness/device/device.hpp"
#include "harness/emulated/limits.hpp"
#include "harness/emulated/settings.hpp"

namespace ridgeline::emulated {

/// An emulated GPU with these limits, and no speeds: "emulated:sm_90".
device::Facts facts(const Limits& limits);

/// Opens one; a process has one at a time. Launches run at once, and synchronize() throws what they
/// found. Batches cannot be timed: running one throws, because an emulated time means nothing.
std::unique_ptr<device::Device> open(const Limits& limits, const Settings& settings = {});

}  // namespace ridgeline::emulated
