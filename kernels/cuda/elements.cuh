#pragma once

#include <cstdint>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "harness/device/kernel.hpp"
#include "kernels/cuda/oracle.cuh"
#include "kernels/elements.hpp"

// Elements of inputs and outputs as the oracles of devices read them.
namespace ridgeline::kernels::on_cuda {

/// Rounded to `dtype`, to the nearest; ties go to even.
__device__ inline float rounded(float value, DType dtype) {
  if (dtype == DType::f16) return __half2float(__float2half_rn(value));
  if (dtype == DType::bf16) return __bfloat162float(__float2bfloat16_rn(value));
  return value;
}

__device__ inline float element(const Elements& of, std::int64_t i) {
  if (of.by_columns.rows != 0)
    i = i % of.by_columns.columns * of.by_columns.rows + i / of.by_columns.columns;
  if (of.given != nullptr) return of.scale * of.given[i];
  if (is_e4m3(of.dtype))
    return of.scale * from_e4m3(device::random_e4m3(of.distribution, of.seed,
                                                    of.first + static_cast<std::uint64_t>(i)));
  const Floats floats = RandomFloats{of.distribution, of.seed, of.first};
  return of.scale * rounded(floats(i), of.dtype);
}

struct EachElement {
  Elements of;
  __device__ float operator()(std::int64_t i) const { return element(of, i); }
};

/// `count` elements, as f32.
inline void write_elements(const Elements& of, std::int64_t count, float* to,
                           device::Stream& stream) {
  write<float>({.count = count, .write_to = to}, stream, EachElement{of});
}

/// Element i of an array that a variant wrote as `dtype`.
__device__ inline float stored(const void* array, DType dtype, std::int64_t i) {
  if (dtype == DType::f16) {
    const __half value = static_cast<const __half*>(array)[i];
    return __half2float(value);
  }
  if (dtype == DType::bf16) {
    const __nv_bfloat16 value = static_cast<const __nv_bfloat16*>(array)[i];
    return __bfloat162float(value);
  }
  return static_cast<const float*>(array)[i];
}

}  // namespace ridgeline::kernels::on_cuda
