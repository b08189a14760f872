#pragma once

#include <bit>
#include <string>

#include "harness/device/facts.hpp"
#include "harness/device/kernel.hpp"
#include "kernels/occupancy/occupancy.hpp"
#include "kernels/ptx/opaque.cuh"
#include "kernels/ptx/special_registers.cuh"

// How a number of warps per SM comes about. The grid is always as many blocks as are resident at
// once, so that the number holds from the first instruction to the last.
//   block:     one block of all warps per SM; of 64 warps, two. Nothing but the size of the grid
//              keeps others out.
//   registers: blocks of 4 warps, whose threads hold ballast: registers that are alive all the time
//              and compute nothing.
//   shared:    blocks of 4 warps, each of which asks for an equal part of all shared memory and
//              does not touch it.
namespace ridgeline::occupancy::on_cuda {

inline constexpr int registers_of_unit = 65536, small_block = 4;  // warps

struct Plan {
  int warps_per_block = 1, blocks_per_unit = 1;
  std::size_t shared_bytes = 0;
};

inline Plan plan(const Problem& problem) {
  if (problem.limit == Limit::block) {
    const int blocks = problem.parallel > 32 ? 2 : 1;
    return {problem.parallel / blocks, blocks, 0};
  }
  const int blocks = problem.parallel / small_block;
  // The runtime keeps 1 KiB of each block's share for itself.
  const std::size_t share = problem.limit == Limit::shared
                                ? problem.shared_per_unit / static_cast<unsigned>(blocks)
                                : 1024;
  return {small_block, blocks, (share - 1024) / 128 * 128};
}

/// Registers per thread that allow `warps` (8, 16 or 32) warps per SM and no more: from ranges of
/// 169 to 255, 97 to 128, and 57 to 64.
constexpr int registers_for(int warps) { return warps == 8 ? 212 : warps == 16 ? 114 : 62; }

/// Warps that code for `warps` is compiled for: nothing is gained from more than 128 registers.
constexpr int compiled_for(int warps) { return warps > 32 ? 64 : warps > 16 ? 32 : 16; }

inline device::Support supports_any(const Problem& problem, const device::Facts& facts) {
  const int warps = problem.parallel;
  if (problem.limit == Limit::threads)
    return device::Support::unsupported("a GPU's warps are limited by something");
  if (problem.vector != 1)
    return device::Support::unsupported("a GPU's chain is one float a thread");
  if (!std::has_single_bit(static_cast<unsigned>(problem.independent)) || problem.independent > 16)
    return device::Support::unsupported("1, 2, 4, 8 or 16 in flight");
  if (!std::has_single_bit(static_cast<unsigned>(warps)) || warps * 32 > facts.max_threads_per_unit)
    return device::Support::unsupported("an SM holds 1, 2, 4, ... " +
                                        std::to_string(facts.max_threads_per_unit / 32) + " warps");
  if (problem.limit == Limit::registers && warps != 8 && warps != 16 && warps != 32)
    return device::Support::unsupported(
        "threads with the most registers leave room for 8 warps, those with 64 for 32");
  if (problem.limit == Limit::registers && facts.registers_per_unit != registers_of_unit)
    return device::Support::unsupported("meant for SMs of 65536 registers");
  if (problem.limit == Limit::shared && warps < small_block)
    return device::Support::unsupported("blocks have 4 warps");
  if (problem.limit == Limit::shared && plan(problem).shared_bytes > facts.shared_per_block)
    return device::Support::unsupported("a block cannot have so much shared memory");
  return device::Support::yes();
}

template <class Kernel>
void configure(Kernel kernel, const Plan& plan) {
  if (plan.shared_bytes > 0) device::prefer_shared_memory(kernel, plan.shared_bytes);
}

template <class Kernel, class... Arguments>
void start(const Problem& problem, device::Stream& stream, Kernel kernel, Arguments... arguments) {
  const Plan how = plan(problem);
  configure(kernel, how);
  device::launch({.grid = dim3(static_cast<unsigned>(problem.units * how.blocks_per_unit)),
                  .block = dim3(static_cast<unsigned>(how.warps_per_block * 32)),
                  .shared_bytes = how.shared_bytes},
                 stream, kernel, arguments...);
}

template <class Kernel>
Residency predict_for(const Problem& problem, const device::Facts& facts, Kernel kernel) {
  const Plan how = plan(problem);
  configure(kernel, how);
  const int blocks =
      device::blocks_that_fit(facts, kernel, how.warps_per_block * 32, how.shared_bytes);
  return {blocks < how.blocks_per_unit ? blocks : how.blocks_per_unit, how.warps_per_block, blocks};
}

/// Counts the blocks of an SM; by the first thread of a block, at its beginning and after its end.
__device__ __forceinline__ void enter(unsigned* census) {
  if (census == nullptr || threadIdx.x != 0) return;
  unsigned* const unit = census + 2 * ptx::sm_id();
  atomicMax(unit + 1, atomicAdd(unit, 1u) + 1);
}
__device__ __forceinline__ void leave(unsigned* census) {
  if (census == nullptr) return;
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(census + 2 * ptx::sm_id(), ~0u);  // one fewer
}

/// `count` registers that are alive from here to dropped(): each holds what another thread of the
/// warp has sent, which cannot be asked for later, and differs between threads, so that no uniform
/// register can hold it.
template <int count>
struct Ballast {
  unsigned held[count > 0 ? count : 1];

  __device__ __forceinline__ Ballast() {
#pragma unroll
    for (int i = 0; i < count; ++i)
      held[i] = __shfl_xor_sync(0xFFFFFFFFu, threadIdx.x * (2u * i + 1), 1);
  }
  /// 0, given `zero` = 0, of which the compiler is not told. It depends on `result`, so that it
  /// cannot be had earlier.
  __device__ __forceinline__ unsigned dropped(unsigned result, unsigned zero) const {
    unsigned sum = 0;
#pragma unroll
    for (int i = 0; i < count; ++i) sum += held[i] ^ (result + i);
    return sum & zero;
  }
};

}  // namespace ridgeline::occupancy::on_cuda
