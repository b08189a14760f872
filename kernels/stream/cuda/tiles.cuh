#pragma once

#include <utility>

#include "kernels/ptx/cache_policy.cuh"
#include "kernels/stream/cuda/walk.cuh"

// How kernels of the tiles variants are started: as many blocks as there are tiles, in the order of
// the addresses, so that the whole GPU works on one narrow window that moves on. Loads ask L2 to
// keep their lines: then lines that were written seem to leave L2 first and in longer runs, for
// which DRAM turns round less often. That is an explanation, not proved. Measured on an H200 with
// programs that are not part of the suites: copies 1.7% faster than by the same accesses without a
// policy, and one vector a thread 2% to 7% faster than two to eight.
namespace ridgeline::stream::on_cuda {

/// Thread's first vector of its tile; the others follow at a distance of `threads`.
template <int threads, int vectors>
__device__ __forceinline__ std::int64_t first_of_tile() {
  return std::int64_t{blockIdx.x} * threads * vectors + threadIdx.x;
}

/// Calls `start(threads, vectors)`, both as constants, with the shape of the problem, or with the
/// usual one.
template <int usual_threads, class Start>
void with_shape(const Shape& shape, Start start) {
  const int threads = shape.threads == 0 ? usual_threads : shape.threads;
  const auto with_threads = [&](auto constant) {
    if (shape.vectors == 4) {
      start(constant, std::integral_constant<int, 4>{});
    } else if (shape.vectors == 2) {
      start(constant, std::integral_constant<int, 2>{});
    } else {
      start(constant, std::integral_constant<int, 1>{});
    }
  };
  if (threads == 256) {
    with_threads(std::integral_constant<int, 256>{});
  } else if (threads == 512) {
    with_threads(std::integral_constant<int, 512>{});
  } else {
    with_threads(std::integral_constant<int, 1024>{});
  }
}

/// All that with_shape() knows, but for the usual one.
template <int usual_threads>
std::vector<Shape> other_shapes() {
  std::vector<Shape> shapes;
  for (const int threads : {256, 512, 1024})
    for (const int vectors : {1, 2, 4})
      if (threads != usual_threads || vectors != 1) shapes.push_back({threads, vectors});
  return shapes;
}

}  // namespace ridgeline::stream::on_cuda
