#include "harness/device/kernel.hpp"
#include "kernels/gemm/cuda/lanes.cuh"
#include "kernels/gemm/cuda/quads.cuh"
#include "kernels/gemm/cuda_support.hpp"
#include "kernels/gemm/gemm.hpp"

// `vectorized` with the sums of a warp together: it makes 64 x 32 of C, not 16 x 128, and so reads
// 96 floats of both tiles for each step along k, not 144. With the lanes in the order that shared
// memory serves best (lanes.cuh), a step takes 8 wavefronts in place of 12. Bound by the FMA pipe,
// less what the two barriers per tile leave idle: loading does not overlap with multiplying.

namespace ridgeline::gemm::on_cuda {
namespace {

constexpr int warp_m = 64, warp_n = 32, row_gap = warp_m / 2, column_gap = warp_n / 2;

template <bool wide>
__global__ void __launch_bounds__(quads_threads, 2)
    warp_tiled_kernel(std::int64_t m, std::int64_t n, std::int64_t k, const float* a,
                      const float* b, float* c, std::int64_t tile_columns) {
  __shared__ QuadTiles tiles;
  const std::int64_t i0 = blockIdx.x / tile_columns * quads_m,
                     j0 = blockIdx.x % tile_columns * quads_n;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int i = warp / (quads_n / warp_n) * warp_m + row_of_lane(lane) * 4,
            j = warp % (quads_n / warp_n) * warp_n + column_of_lane(lane) * 4;
  float sums[8][8] = {};
  for (std::int64_t p = 0; p < k; p += quads_k) {
    load_tiles<wide>(tiles, m, n, k, a, b, i0, j0, p);
    __syncthreads();
    multiply_tiles<row_gap, column_gap>(tiles, i, j, sums);
    __syncthreads();
  }
  store_sums<wide, row_gap, column_gap>(c, m, n, i0 + i, j0 + j, sums);
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const Tiles tiles(problem, quads_m, quads_n);
  const bool wide = problem.n % 4 == 0 && problem.k % 4 == 0;
  device::launch({.grid = dim3(tiles.count()), .block = dim3(quads_threads)}, stream,
                 wide ? warp_tiled_kernel<true> : warp_tiled_kernel<false>, problem.m, problem.n,
                 problem.k, static_cast<const float*>(operands.a),
                 static_cast<const float*>(operands.b), static_cast<float*>(operands.c),
                 tiles.columns);
}

}  // namespace

Variant warp_tiled() {
  return {"64 x 32 sums per warp, lanes as shared memory serves them best",
          {DType::f32},
          f32_only,
          launch,
          nullptr,
          {.sectors_per_load = 16, .sectors_per_store = 16, .wavefronts_per_shared_request = 2.06}};
}

}  // namespace ridgeline::gemm::on_cuda
