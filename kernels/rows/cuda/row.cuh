#pragma once

#include <algorithm>

#include "kernels/cuda/lanes.cuh"
#include "kernels/ptx/cache_policy.cuh"
#include "kernels/ptx/rsqrt.cuh"
#include "kernels/rows/rows.hpp"

// What the kernels share: sums over warps and blocks, accesses of 16 bytes that pass through the
// caches, and what they take.
namespace ridgeline::rows::on_cuda {

using kernels::on_cuda::lanes_of;
using kernels::on_cuda::narrow;
using kernels::on_cuda::pack;
using kernels::on_cuda::unpack;
using kernels::on_cuda::widen;

inline constexpr int most_warps = 32;

__device__ __forceinline__ int lane() { return static_cast<int>(threadIdx.x % 32); }
__device__ __forceinline__ int warp() { return static_cast<int>(threadIdx.x / 32); }
__device__ __forceinline__ int warps() { return static_cast<int>(blockDim.x / 32); }

/// On all lanes, of all lanes.
__device__ __forceinline__ float sum_over_warp(float value) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(0xFFFFFFFFu, value, step);
  return value;
}
__device__ __forceinline__ float2 sum_over_warp(float2 value) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    value.x += __shfl_xor_sync(0xFFFFFFFFu, value.x, step);
    value.y += __shfl_xor_sync(0xFFFFFFFFu, value.y, step);
  }
  return value;
}
__device__ __forceinline__ float most_of_warp(float value) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    value = fmaxf(value, __shfl_xor_sync(0xFFFFFFFFu, value, step));
  return value;
}

/// The sum over all threads of the block, on all of them. `shared` holds one value per warp.
__device__ __forceinline__ float sum_over_block(float value, float* shared) {
  value = sum_over_warp(value);
  __syncthreads();  // the last use of `shared` is over
  if (lane() == 0) shared[warp()] = value;
  __syncthreads();
  return sum_over_warp(lane() < warps() ? shared[lane()] : 0.0f);
}

/// 16 bytes that are read once, and written once: what the tiles of kernels/stream do.
__device__ __forceinline__ uint4 load_once(const uint4* from) {
  const float4 value = ptx::load_kept(reinterpret_cast<const float4*>(from));
  return make_uint4(__float_as_uint(value.x), __float_as_uint(value.y), __float_as_uint(value.z),
                    __float_as_uint(value.w));
}
__device__ __forceinline__ void store_once(uint4* to, uint4 value) {
  ptx::store_passing(reinterpret_cast<float4*>(to),
                     make_float4(__uint_as_float(value.x), __uint_as_float(value.y),
                                 __uint_as_float(value.z), __uint_as_float(value.w)));
}

/// Of the mean of the squares about the mean.
__device__ __forceinline__ float one_over_deviation(float squares) {
  return ptx::rsqrt_approximate(squares + static_cast<float>(epsilon));
}

/// Calls `run` with a value of the problem's element type.
template <class Run>
void with_element(const Problem& problem, Run run) {
  if (problem.dtype == DType::bf16)
    run(__nv_bfloat16{});
  else
    run(float{});
}

/// Accesses of 16 bytes that a row takes.
inline int vectors_of_row(const Problem& problem) {
  return static_cast<int>(problem.cols * static_cast<std::int64_t>(size_of(problem.dtype)) / 16);
}

/// Threads of a block, whole warps, of which each takes `each` of a row's accesses.
inline unsigned threads_for(int vectors, int each) {
  return static_cast<unsigned>((vectors + 32 * each - 1) / (32 * each) * 32);
}

/// Any row of one of these operations.
inline device::Support any_row(const Problem& problem,
                               std::initializer_list<Operation> operations) {
  if (std::ranges::find(operations, problem.operation) == operations.end())
    return device::Support::unsupported("does another operation");
  if (problem.dtype != DType::f32 && problem.dtype != DType::bf16)
    return device::Support::unsupported("elements are f32 or bf16");
  if (problem.rows > 0x7FFFFFFF || problem.cols > 0x7FFFFFFF)
    return device::Support::unsupported("there are at most 2^31 - 1 rows and columns");
  return device::Support::yes();
}

/// Rows of whole accesses, `most` or fewer.
inline device::Support whole_vectors(const Problem& problem,
                                     std::initializer_list<Operation> operations, int most) {
  if (const device::Support support = any_row(problem, operations); !support) return support;
  const std::int64_t bytes = problem.cols * static_cast<std::int64_t>(size_of(problem.dtype));
  if (bytes % 16 != 0) return device::Support::unsupported("rows are whole accesses of 16 bytes");
  if (bytes > std::int64_t{16} * most)
    return device::Support::unsupported("rows have at most " + std::to_string(16 * most) +
                                        " bytes");
  return device::Support::yes();
}

}  // namespace ridgeline::rows::on_cuda
