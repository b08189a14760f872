#pragma once

#include "kernels/test_device.hpp"

// Where tests of instructions run: on the emulated device in programs that emulate, else on a GPU
// that has them.
namespace ridgeline::ptx::test {

inline kernels::TestDevice hopper_device() {
  kernels::TestDevice found = kernels::test_device(device::Kind::emulated);
  if (!found.device) found = kernels::test_device(device::Kind::cuda);
  if (found.device && found.device->facts().capability != 90)
    return {nullptr, "no GPU of compute capability 9.0"};
  return found;
}

}  // namespace ridgeline::ptx::test
