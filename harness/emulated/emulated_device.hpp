#pragma once

#include <memory>
#include <string>
#include <vector>

#include "harness/device/device.hpp"
#include "harness/emulated/limits.hpp"
#include "harness/emulated/settings.hpp"

namespace ridgeline::emulated {

/// An emulated GPU with these limits, and no speeds: "emulated:sm_90".
device::Facts facts(const Limits& limits);

/// What is no mistake in what was launched and waited for, and may be meant otherwise; since it was
/// last asked, of all devices. One sentence each.
std::vector<std::string> take_notes();

/// Opens one; a process has one at a time. Launches run at once, and synchronize() throws what they
/// found. Batches cannot be timed: running one throws, because an emulated time means nothing.
std::unique_ptr<device::Device> open(const Limits& limits, const Settings& settings = {});

}  // namespace ridgeline::emulated
