#include "harness/device/kernel.hpp"
#include "kernels/gemm/cuda/copy_tiles.cuh"
#include "kernels/gemm/cuda/lanes.cuh"
#include "kernels/gemm/cuda/quads.cuh"
#include "kernels/gemm/cuda_support.hpp"
#include "kernels/gemm/gemm.hpp"

// `warp_tiled` with two pairs of tiles: while one is multiplied, asynchronous copies bring the
// next, without passing through registers, and one barrier per tile does for two. A is still
// transposed on its way, word by word. Bound by the issue of multiply-adds: what else is issued
// takes slots from them, and most of them read two registers of one bank (bank_aware.cu).

namespace ridgeline::gemm::on_cuda {
namespace {

constexpr int warp_m = 64, warp_n = 32, row_gap = warp_m / 2, column_gap = warp_n / 2;

template <bool wide>
__global__ void __launch_bounds__(quads_threads, 2)
    double_buffered_kernel(std::int64_t m, std::int64_t n, std::int64_t k, const float* a,
                           const float* b, float* c, std::int64_t tile_columns) {
  __shared__ QuadTiles tiles[2];
  const std::int64_t i0 = blockIdx.x / tile_columns * quads_m,
                     j0 = blockIdx.x % tile_columns * quads_n;
  // As many steps as there are registers for, with two blocks on an SM.
  constexpr int unrolled = wide ? quads_k / 2 : 2;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int i = warp / (quads_n / warp_n) * warp_m + row_of_lane(lane) * 4,
            j = warp % (quads_n / warp_n) * warp_n + column_of_lane(lane) * 4;
  float sums[8][8] = {};
  TileCopies<wide, QuadTiles> copies(m, n, k, a, b, i0, j0);
  copies.start(tiles[0]);
  int current = 0;
  for (std::int64_t p = 0; p < k; p += quads_k, current ^= 1) {
    ptx::copy_async_wait<0>();
    __syncthreads();  // this pair is there, and the other one has been read
    copies.start(tiles[current ^ 1]);
    multiply_tiles<row_gap, column_gap, unrolled>(tiles[current], i, j, sums);
  }
  store_sums<wide, row_gap, column_gap>(c, m, n, i0 + i, j0 + j, sums);
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const Tiles tiles(problem, quads_m, quads_n);
  device::launch({.grid = dim3(tiles.count()), .block = dim3(quads_threads)}, stream,
                 problem.n % 4 == 0 ? double_buffered_kernel<true> : double_buffered_kernel<false>,
                 problem.m, problem.n, problem.k, static_cast<const float*>(operands.a),
                 static_cast<const float*>(operands.b), static_cast<float*>(operands.c),
                 tiles.columns);
}

}  // namespace

Variant double_buffered() {
  return {"cp.async brings the next tiles while these are multiplied",
          {DType::f32},
          f32_with_copies,
          launch,
          nullptr,
          {.sectors_per_load = 6.4, .sectors_per_store = 16, .wavefronts_per_shared_request = 2}};
}

}  // namespace ridgeline::gemm::on_cuda
