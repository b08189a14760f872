#include "harness/device/kernel.hpp"
#include "kernels/gemm/cuda/bank_factors.cuh"
#include "kernels/gemm/cuda/copy_tiles.cuh"
#include "kernels/gemm/cuda_support.hpp"
#include "kernels/gemm/gemm.hpp"

// `double_buffered` by the count of clocks. A quarter of an SM issues one instruction a clock, and
// its registers seem to lie in two banks, even and odd numbers: a multiply-add that reads two
// registers of one bank, values held from the one before not counted, takes a clock more. So:
// - A thread keeps 8 x 16 sums, so that 6 loads feed 128 multiply-adds, where 4 feed 64.
// - Sums may lie in any registers. Stored as they are, 16 bytes at once, they must lie as their
//   factors from B do, which were loaded so, and the two are always of one bank. A product with
//   `one`, which the compiler does not know to be 1, stands between.
// - The loop is short, two steps along k, since in long ones ptxas misses more conflicts.
// - Columns go back and forth, so that a turn keeps the value of B. Values of B are loaded before
//   a step's products and those of A behind the first two rows: where loads stand among the
//   products decides what ptxas makes of the registers, and of some 80 places and orders, each
//   timed in bank_aware_tma on an H200, few are faster, by 0.4% at most.
// - Values of the next step are loaded during this one, from a ring of four pairs of tiles, so that
//   neither shared nor global memory is waited for.
// Bound by the issue of instructions: 15 of 16 in the loop are multiply-adds. What is left of
// conflicts, `ci/golden/kernel_resources --mix bank_aware` counts.

namespace ridgeline::gemm::on_cuda {
namespace {

constexpr int tile_k = 16, threads = 32 * banks_warps, stages = 4;

struct Stage {
  __align__(16) float a[tile_k][banks_padded_m];
  __align__(16) float b[tile_k][banks_n];
};

template <bool wide>
__global__ void __launch_bounds__(threads, 1)
    bank_aware_kernel(std::int64_t m, std::int64_t n, std::int64_t k, const float* a,
                      const float* b, float* c, float one, std::int64_t tile_columns) {
  RIDGELINE_DYNAMIC_SHARED(Stage, ring);
  const std::int64_t i0 = blockIdx.x / tile_columns * banks_m,
                     j0 = blockIdx.x % tile_columns * banks_n;
  const int i = first_row(), j = first_column();
  float sums[8][16] = {};
  TileCopies<wide, Stage> copies(m, n, k, a, b, i0, j0);
  int slabs = copies.left();
#pragma unroll 1
  for (int stage = 0; stage < stages; ++stage) copies.start(ring[stage]);
  ptx::copy_async_wait<stages - 1>();
  __syncthreads();

  BankFactors now, next;
  if (slabs > 0) now.load(&ring[0].a[0][i], &ring[0].b[0][j], 0);
  int stage = 0;
  for (; slabs > 0; --slabs) {
    const float *of_a = &ring[stage].a[0][i], *of_b = &ring[stage].b[0][j];
    const float* const last = of_a + (tile_k - 2) * banks_padded_m;
#pragma unroll 1
    while (of_a != last) {
      multiply_and_load(now, sums, next, of_a, of_b, 1);
      multiply_and_load(next, sums, now, of_a, of_b, 2);
      of_a += 2 * banks_padded_m;
      of_b += 2 * banks_n;
    }
    next.load(of_a, of_b, 1);
    multiply(now, sums);
    ptx::copy_async_wait<stages - 2>();
    __syncthreads();  // the next slab is there, and all have loaded the last of this one
    copies.start(ring[stage]);
    // After the last slab its first values are loaded again, which nothing uses: where the load is
    // conditional, ptxas puts those of the loop above too late.
    if (slabs > 1) stage = stage + 1 == stages ? 0 : stage + 1;
    now.load(&ring[stage].a[0][i], &ring[stage].b[0][j], 0);
    multiply(next, sums);
  }

  for_each_four(sums, i0, j0, one, [&](std::int64_t row, std::int64_t column, float4 four) {
    store4<wide>(c, m, n, row, column, four);
  });
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const Tiles tiles(problem, banks_m, banks_n);
  device::launch(
      {.grid = dim3(tiles.count()), .block = dim3(threads), .shared_bytes = stages * sizeof(Stage)},
      stream, problem.n % 4 == 0 ? bank_aware_kernel<true> : bank_aware_kernel<false>, problem.m,
      problem.n, problem.k, static_cast<const float*>(operands.a),
      static_cast<const float*>(operands.b), static_cast<float*>(operands.c), 1.0f, tiles.columns);
}

}  // namespace

Variant bank_aware() {
  return {"8 x 16 sums per thread, laid out by register banks and issue slots",
          {DType::f32},
          f32_with_copies,
          launch,
          nullptr,
          {.sectors_per_load = 8, .sectors_per_store = 16, .wavefronts_per_shared_request = 3.19}};
}

}  // namespace ridgeline::gemm::on_cuda
