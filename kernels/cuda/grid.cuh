#pragma once

#include "harness/device/kernel.hpp"

namespace ridgeline::kernels::on_cuda {

/// `value` rounded down to a multiple of 2^-7: factors of exact products.
__device__ inline double down_to_128ths(double value) { return floor(128 * value) / 128; }

}  // namespace ridgeline::kernels::on_cuda
