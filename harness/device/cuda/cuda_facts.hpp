#pragma once

#include "harness/device/facts.hpp"

namespace ridgeline::device::cuda {

/// What CUDA and NVML say of GPU `index`. Makes no context. Throws Error when CUDA refuses.
Facts read_facts(int index);

}  // namespace ridgeline::device::cuda
