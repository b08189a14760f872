#pragma once

#include <memory>

#include "harness/device/device.hpp"

namespace ridgeline::device::cpu {

/// Opens the CPU: pins one OpenMP thread a core within this thread's affinity mask, unless OpenMP
/// was told to bind threads itself (OMP_PROC_BIND). The calling thread becomes OpenMP's first and
/// is pinned too, until the device is closed.
std::unique_ptr<Device> open();

}  // namespace ridgeline::device::cpu
