#pragma once

#include "kernels/ptx/exp2.cuh"
#include "kernels/rows/cuda/row.cuh"

// Softmax of parts of a row, put together.
namespace ridgeline::rows::on_cuda {

inline constexpr float log2_of_e = 1.4426950408889634f;
/// Where maxima begin. Finite: the difference of two such is 0, of nothing but -inf the sum stays
/// 0.
inline constexpr float lowest = -3.402823466e38f;

/// 16 bytes of elements that add nothing to a row.
__device__ __forceinline__ uint4 minus_infinity(const float*) {
  return make_uint4(0xFF800000u, 0xFF800000u, 0xFF800000u, 0xFF800000u);
}
__device__ __forceinline__ uint4 minus_infinity(const __nv_bfloat16*) {
  return make_uint4(0xFF80FF80u, 0xFF80FF80u, 0xFF80FF80u, 0xFF80FF80u);
}

/// exp(x - top). The difference comes first: it is exact where x is close to top.
__device__ __forceinline__ float power(float x, float top) {
  return ptx::exp2_approximate((x - top) * log2_of_e);
}

/// The maximum of a part of a row, and the sum of exp(x - top) over it.
struct Part {
  float top = lowest, sum = 0;
};
__device__ __forceinline__ Part together(Part a, Part b) {
  const float top = fmaxf(a.top, b.top);
  return {top, a.sum * power(a.top, top) + b.sum * power(b.top, top)};
}
__device__ __forceinline__ Part part_of_warp(Part part) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    part = together(part, {__shfl_xor_sync(0xFFFFFFFFu, part.top, step),
                           __shfl_xor_sync(0xFFFFFFFFu, part.sum, step)});
  return part;
}
/// `shared` holds a part per warp, and is used once.
__device__ __forceinline__ Part part_of_block(Part part, Part* shared) {
  part = part_of_warp(part);
  if (lane() == 0) shared[warp()] = part;
  __syncthreads();
  return part_of_warp(lane() < warps() ? shared[lane()] : Part{});
}

/// What the exponentials of a row with this sum are multiplied with: of a row of nothing but -inf
/// they stay 0.
__device__ __forceinline__ float scale_of(float sum) { return sum == 0 ? 0 : 1 / sum; }

}  // namespace ridgeline::rows::on_cuda
