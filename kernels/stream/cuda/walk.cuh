#pragma once

#include "harness/device/kernel.hpp"
#include "kernels/ptx/opaque.cuh"
#include "kernels/slice.hpp"
#include "kernels/stream/stream.hpp"

// How the blocks of these kernels share arrays: one block of 1024 threads per SM stays to the end,
// so that a launch has no ragged last wave. At l1 a block keeps to its own part; otherwise all
// blocks walk the whole array side by side.
namespace ridgeline::stream::on_cuda {

using kernels::Level;

inline constexpr int threads = Problem::sums_per_unit;

/// Vectors of four floats `first`, first + step, ... below `end` are the calling thread's.
struct Walk {
  std::int64_t first, end, step;
};

template <Level level>
__device__ __forceinline__ Walk walk(std::int64_t elements) {
  if constexpr (level == Level::l1) {
    const kernels::Slice part =
        kernels::slice(elements / 4, static_cast<int>(blockIdx.x), static_cast<int>(gridDim.x), 1);
    return {part.begin + threadIdx.x, part.end, threads};
  }
  return {std::int64_t{blockIdx.x} * threads + threadIdx.x, elements / 4,
          std::int64_t{gridDim.x} * threads};
}

/// Floats behind the last whole vector, fewer than four, are handled one by one by the first
/// threads of the grid.
__device__ __forceinline__ bool has_tail_element(std::int64_t elements, std::int64_t& index) {
  index = elements / 4 * 4 + threadIdx.x;
  return blockIdx.x == 0 && index < elements;
}

/// Loads and stores for a level: kept in L1; in L2 alone; at dram first to be evicted; or plainly
/// from shared memory.
template <Level level, class Vector>
__device__ __forceinline__ Vector load(const Vector* from) {
  if constexpr (level == Level::shared) return *from;
  if constexpr (level == Level::l1) return __ldca(from);
  if constexpr (level == Level::dram) return __ldcs(from);
  return __ldcg(from);
}
template <Level level, class Vector>
__device__ __forceinline__ void store(Vector* to, Vector value) {
  if constexpr (level == Level::dram) {
    __stcs(to, value);
  } else {
    __stcg(to, value);
  }
}

/// x + scale y, without rounding where scale is 2.
__device__ __forceinline__ float4 scaled_sum(const float4& x, float scale, const float4& y) {
  return make_float4(x.x + scale * y.x, x.y + scale * y.y, x.z + scale * y.z, x.w + scale * y.w);
}

/// Adds the bits of the vectors of a walk to `sum`, `in_flight` loads at a time.
template <Level level, int in_flight>
__device__ __forceinline__ void add_bits(const uint4* vectors, const Walk& walk, unsigned& sum) {
  std::int64_t i = walk.first;
#pragma unroll 1
  for (; i + (in_flight - 1) * walk.step < walk.end; i += in_flight * walk.step) {
    uint4 value[in_flight];
#pragma unroll
    for (int j = 0; j < in_flight; ++j) value[j] = load<level>(vectors + i + j * walk.step);
#pragma unroll
    for (int j = 0; j < in_flight; ++j) sum += value[j].x + value[j].y + value[j].z + value[j].w;
  }
#pragma unroll 1
  for (; i < walk.end; i += walk.step) {
    const uint4 value = load<level>(vectors + i);
    sum += value.x + value.y + value.z + value.w;
  }
}

inline device::Support any_problem(const Problem&, const device::Facts&) {
  return device::Support::yes();
}

}  // namespace ridgeline::stream::on_cuda
