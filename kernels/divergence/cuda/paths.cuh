#pragma once

#include "harness/device/kernel.hpp"
#include "kernels/divergence/divergence.hpp"
#include "kernels/ptx/opaque.cuh"

// One kernel with a path for each way, whichever way an element's path is chosen. All paths do the
// same arithmetic with constants of their own, and load and store by themselves, so that both the
// instructions and the requests of a warp show how many paths it takes.
namespace ridgeline::divergence::on_cuda {

inline constexpr int threads = 256, unrolled = 16;

template <int way>
__device__ __forceinline__ void take_path(const float* in, float* out) {
  constexpr float constant = constant_of(way);
  ptx::keep_apart<way>();
  float x = *in;
#pragma unroll 1
  for (int step = 0; step < steps; step += unrolled) {
#pragma unroll
    for (int i = 0; i < unrolled; ++i) x = fmaf(factor, x, constant);
    ptx::keep_apart<way>();
  }
  *out = x;
  ptx::keep_apart<way>();
}

/// Branches to the path of `way`, in [first, first + count): halves, so that whether paths lie far
/// apart or close in the code makes no difference to how many branches lead there.
template <int first, int count>
__device__ __forceinline__ void branch(int way, const float* in, float* out) {
  if constexpr (count == 1) {
    take_path<first>(in, out);
  } else if (way < first + count / 2) {
    branch<first, count / 2>(way, in, out);
  } else {
    branch<first + count / 2, count / 2>(way, in, out);
  }
}

template <Grouping grouping>
__global__ void __launch_bounds__(threads)
    take_paths(const float* in, float* out, std::int64_t elements, int ways) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= elements) return;
  const auto group = static_cast<unsigned>(grouping == Grouping::by_lane ? i : i / 32);
  branch<0, most_ways>(static_cast<int>(group & static_cast<unsigned>(ways - 1)), in + i, out + i);
}

template <Grouping grouping>
void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  device::launch(
      {.grid = dim3(device::blocks_for(problem.elements, threads)), .block = dim3(threads)}, stream,
      take_paths<grouping>, operands.in, operands.out, problem.elements, problem.ways);
}

inline device::Support up_to_32_ways(const Problem& problem, const device::Facts&) {
  if (problem.ways >= 1 && problem.ways <= most_ways && (problem.ways & (problem.ways - 1)) == 0)
    return device::Support::yes();
  return device::Support::unsupported("there are 1, 2, 4, 8, 16 or 32 ways");
}

/// A warp makes one load and one store per path, of the lanes that take it.
template <Grouping grouping>
kernels::Traffic traffic(const Problem& problem) {
  const int paths = paths_of_a_warp(grouping, problem), lanes = active_lanes(grouping, problem);
  const auto sectors =
      static_cast<double>(kernels::pieces(0, 4 * paths, 4, lanes, kernels::sector));
  const double warps = static_cast<double>(problem.elements) / kernels::lanes_of_a_warp;
  return {sectors, 2 * warps * paths * sectors * kernels::sector};
}

}  // namespace ridgeline::divergence::on_cuda
