#pragma once

#include "harness/base/device_kind.hpp"

namespace ridgeline::device {

using Kind = DeviceKind;
using ridgeline::to_string;

}  // namespace ridgeline::device
