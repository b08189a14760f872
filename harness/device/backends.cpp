#include "harness/base/error.hpp"
#include "harness/device/device.hpp"

namespace ridgeline::device {}  // namespace ridgeline::device
