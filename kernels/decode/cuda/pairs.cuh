#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "harness/device/kernel.hpp"
#include "kernels/ptx/mma.cuh"

// Pairs of 16-bit elements, as they travel: the first one in the lower half. ptx::pack() makes one
// of two floats.
namespace ridgeline::decode::on_cuda {

__device__ __forceinline__ float2 unpack(ptx::Bf16, unsigned pair) {
  return {__uint_as_float(pair << 16), __uint_as_float(pair & 0xFFFF0000u)};
}
__device__ __forceinline__ float2 unpack(ptx::F16, unsigned pair) {
  return {__half2float(__ushort_as_half(static_cast<unsigned short>(pair))),
          __half2float(__ushort_as_half(static_cast<unsigned short>(pair >> 16)))};
}

/// What scores are multiplied by, so that exp2 makes the exponentials: log2(e) / sqrt(dim).
inline float score_factor(double dim) { return static_cast<float>(1.4426950408889634 / sqrt(dim)); }

}  // namespace ridgeline::decode::on_cuda
