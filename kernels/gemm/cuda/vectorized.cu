#include "harness/device/kernel.hpp"
#include "kernels/gemm/cuda/quads.cuh"
#include "kernels/gemm/cuda_support.hpp"
#include "kernels/gemm/gemm.hpp"

// `register_tiled` with accesses of 16 bytes in place of 4: a thread's sums are four 4 x 4 squares,
// so that 4 load instructions feed 64 multiply-adds, where it took 16. Global loads and stores are
// 16 bytes wide where rows start at multiples of 16 bytes. Bound by the FMA pipe, less what the two
// barriers per tile leave idle, since loading does not overlap with multiplying; and shared memory
// is still busy: 16 lanes side by side read 16 different quads of B, which takes 4 wavefronts.

namespace ridgeline::gemm::on_cuda {
namespace {

constexpr int gap = 64;  // between squares: 16-byte loads of a warp's threads then lie side by side

template <bool wide>
__global__ void __launch_bounds__(quads_threads, 2)
    vectorized_kernel(std::int64_t m, std::int64_t n, std::int64_t k, const float* a,
                      const float* b, float* c, std::int64_t tile_columns) {
  __shared__ QuadTiles tiles;
  const std::int64_t i0 = blockIdx.x / tile_columns * quads_m,
                     j0 = blockIdx.x % tile_columns * quads_n;
  const int i = threadIdx.x / 16 * 4, j = threadIdx.x % 16 * 4;
  float sums[8][8] = {};
  for (std::int64_t p = 0; p < k; p += quads_k) {
    load_tiles<wide>(tiles, m, n, k, a, b, i0, j0, p);
    __syncthreads();
    multiply_tiles<gap, gap>(tiles, i, j, sums);
    __syncthreads();
  }
  store_sums<wide, gap, gap>(c, m, n, i0 + i, j0 + j, sums);
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const Tiles tiles(problem, quads_m, quads_n);
  const bool wide = problem.n % 4 == 0 && problem.k % 4 == 0;
  device::launch({.grid = dim3(tiles.count()), .block = dim3(quads_threads)}, stream,
                 wide ? vectorized_kernel<true> : vectorized_kernel<false>, problem.m, problem.n,
                 problem.k, static_cast<const float*>(operands.a),
                 static_cast<const float*>(operands.b), static_cast<float*>(operands.c),
                 tiles.columns);
}

}  // namespace

Variant vectorized() {
  return {"16-byte loads and stores, from global and from shared memory",
          {DType::f32},
          f32_only,
          launch,
          nullptr,
          {.sectors_per_load = 16, .sectors_per_store = 16, .wavefronts_per_shared_request = 2.92}};
}

}  // namespace ridgeline::gemm::on_cuda
