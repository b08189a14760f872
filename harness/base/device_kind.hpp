#pragma once

#include "harness/base/names.hpp"

namespace ridgeline {

/// What a device is, which decides what can be asked of it: an emulated one counts and has no
/// times, a fake one has the times that a script gives it.
enum class DeviceKind { cpu, cuda, emulated, fake };

std::span<const Name<DeviceKind>> names(DeviceKind);

}  // namespace ridgeline
