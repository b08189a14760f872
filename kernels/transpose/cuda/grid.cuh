#pragma once

#include "harness/device/kernel.hpp"
#include "kernels/transpose/transpose.hpp"

// A block of 32 x 8 threads transposes a tile of 32 x 32; blockIdx.x counts tiles along a row of
// tiles first.
namespace ridgeline::transpose::on_cuda {

inline constexpr int tile = 32, block_rows = 8, threads = tile * block_rows;

inline device::LaunchConfig grid_for(const Problem& problem) {
  const std::int64_t tiles = (problem.rows + tile - 1) / tile * ((problem.cols + tile - 1) / tile);
  return {.grid = dim3(static_cast<unsigned>(tiles)), .block = dim3(tile, block_rows)};
}

inline device::Support any_shape(const Problem& problem, const device::Facts&) {
  if ((problem.rows + tile - 1) / tile * ((problem.cols + tile - 1) / tile) <= 0x7FFFFFFF)
    return device::Support::yes();
  return device::Support::unsupported("a grid has at most 2^31 - 1 tiles of 32 x 32");
}

struct Corner {
  std::int64_t row, col;
};

/// First element of the calling block's tile.
__device__ __forceinline__ Corner corner(std::int64_t cols) {
  const unsigned tiles_in_row = static_cast<unsigned>((cols + tile - 1) / tile);
  return {std::int64_t{blockIdx.x / tiles_in_row} * tile,
          std::int64_t{blockIdx.x % tiles_in_row} * tile};
}

/// Traffic when reading touches `read` and writing `written` sectors per request.
inline kernels::Traffic traffic(const Problem& problem, int read, int written) {
  const double requests = static_cast<double>(problem.elements()) / kernels::lanes_of_a_warp;
  return {written, requests * (read + written) * kernels::sector};
}

}  // namespace ridgeline::transpose::on_cuda
