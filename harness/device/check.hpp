#pragma once

#include <string>

#include "harness/base/error.hpp"
#include "harness/device/buffer.hpp"
#include "harness/device/device.hpp"

// What a file with kernels of any project writes so that `ridgeline check FILE.cu` can run them on
// the emulated device (docs/how-to-check.md).
namespace ridgeline {

/// Written in that file, and called once: fills buffers, launches kernels, and compares what they
/// leave. Whatever it throws ends the check.
void check(device::Device& device);

namespace device {

/// Ends the check unless `right`; `what` says what is not.
inline void expect(bool right, const std::string& what) {
  if (!right) throw Error(ErrorKind::dependency, "wrong result: " + what);
}

}  // namespace device
}  // namespace ridgeline
