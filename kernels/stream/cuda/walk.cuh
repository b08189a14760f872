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

/// Loads and stores for a level: kept in L1; in L2 alone; or, at dram, first to be evicted.
template <Level level, class Vector>
__device__ __forceinline__ Vector load(const Vector* from) {
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

inline device::Support any_level(const Problem& problem, const device::Facts&) {
  if (problem.level == Level::l2)
    return device::Support::unsupported("a GPU's L2 is its last-level cache, llc");
  return device::Support::yes();
}

}  // namespace ridgeline::stream::on_cuda
