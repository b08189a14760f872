#pragma once

#include <memory>

#include "harness/device/device.hpp"

/// The CUDA backend as the rest of the device room sees it; no CUDA headers here.
namespace ridgeline::device::cuda {

/// Appends the GPUs that there are, or why there are none. Initialises the driver, but makes no context on a GPU.
void discover(Discovery& found);

/// Opens a GPU by the index in its id, cuda:<index>. Makes it the current device of the calling thread.
std::unique_ptr<Device> open(int index);

}  // namespace ridgeline::device::cuda
