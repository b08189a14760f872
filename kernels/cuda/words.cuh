#pragma once

#include <cstdint>

#include <cuda_fp16.h>

#include "harness/device/kernel.hpp"

// Numbers as the words that outputs hold.
namespace ridgeline::kernels::on_cuda {

__device__ inline std::uint16_t word_of_f16(double value) {
  return __half_as_ushort(__double2half(value));
}
__device__ inline std::uint32_t word_of_f32(double value) {
  return __float_as_uint(static_cast<float>(value));
}
__device__ inline std::uint64_t word_of_f64(double value) {
  return static_cast<std::uint64_t>(__double_as_longlong(value));
}

}  // namespace ridgeline::kernels::on_cuda
