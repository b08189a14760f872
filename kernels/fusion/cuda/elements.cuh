#pragma once

#include "kernels/cuda/lanes.cuh"
#include "kernels/fusion/fusion.hpp"

// The arithmetic of one element.
namespace ridgeline::fusion::on_cuda {

using kernels::on_cuda::lanes_of;
using kernels::on_cuda::narrow;
using kernels::on_cuda::pack;
using kernels::on_cuda::unpack;
using kernels::on_cuda::widen;

__device__ __forceinline__ float gelu(float z) {
  constexpr float twice = static_cast<float>(2 * gelu_factor),
                  cubic = static_cast<float>(gelu_cubic);
  return z * (1.0f / (1.0f + expf(-twice * z * (1.0f + cubic * z * z))));
}

/// Of the element number `index` of an array.
__device__ __forceinline__ float dropped(float value, std::uint64_t seed, std::int64_t index) {
  return value * mask_factor(mask_bits(seed, index >> 2), static_cast<int>(index & 3));
}

/// Calls `run` with a value of the problem's element type.
template <class Run>
void with_element(const Problem& problem, Run run) {
  if (problem.dtype == DType::f16)
    run(__half{});
  else if (problem.dtype == DType::bf16)
    run(__nv_bfloat16{});
  else
    run(float{});
}

/// Traffic when each element of the problem takes `accesses` accesses, loads and stores together,
/// `width` bytes wide; of rows that begin at a sector. Each row's block reads the parameters again.
inline kernels::Traffic traffic(const Problem& problem, int accesses, int width) {
  return {static_cast<double>(width), accesses * static_cast<double>(problem.elements()) *
                                          static_cast<double>(size_of(problem.dtype))};
}

}  // namespace ridgeline::fusion::on_cuda
