#include "harness/device/kernel.hpp"
#include "kernels/gemm/cuda_support.hpp"
#include "kernels/gemm/gemm.hpp"

// A block of `coalesced` threads brings 32 x 32 tiles of A and B into shared memory together, so
// that an element is read from global memory once per tile of C, 1/32 as often. Bound by shared
// memory: still two loads for each multiply-add, though one of them is the same word for the whole
// warp.

namespace ridgeline::gemm::on_cuda {
namespace {

constexpr int tile = 32;

__global__ void __launch_bounds__(tile* tile)
    shared_tiled_kernel(std::int64_t m, std::int64_t n, std::int64_t k, const float* a,
                        const float* b, float* c, std::int64_t tile_columns) {
  __shared__ float a_tile[tile][tile];
  __shared__ float b_tile[tile][tile];
  const int x = threadIdx.x, y = threadIdx.y;
  const std::int64_t i = blockIdx.x / tile_columns * tile + y;
  const std::int64_t j = blockIdx.x % tile_columns * tile + x;
  float sum = 0;
  for (std::int64_t p = 0; p < k; p += tile) {
    // Zeros beyond the edges add nothing, so the product below needs no guards.
    a_tile[y][x] = i < m && p + x < k ? a[i * k + p + x] : 0.0f;
    b_tile[y][x] = p + y < k && j < n ? b[(p + y) * n + j] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int q = 0; q < tile; ++q) sum += a_tile[y][q] * b_tile[q][x];
    __syncthreads();
  }
  if (i < m && j < n) c[i * n + j] = sum;
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const Tiles tiles(problem, tile, tile);
  device::launch({.grid = dim3(tiles.count()), .block = dim3(tile, tile)}, stream,
                 shared_tiled_kernel, problem.m, problem.n, problem.k,
                 static_cast<const float*>(operands.a), static_cast<const float*>(operands.b),
                 static_cast<float*>(operands.c), tiles.columns);
}

}  // namespace

Variant shared_tiled() {
  return {"32 x 32 tiles of A and B in shared memory",
          {DType::f32},
          f32_only,
          launch,
          nullptr,
          {.sectors_per_load = 4, .sectors_per_store = 4, .wavefronts_per_shared_request = 1}};
}

}  // namespace ridgeline::gemm::on_cuda
