#include "harness/device/kernel.hpp"
#include "kernels/gemm/cuda/copy_tiles.cuh"
#include "kernels/gemm/cuda/lanes.cuh"
#include "kernels/gemm/cuda/quads.cuh"
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
// - Columns go back and forth, so that a turn keeps the value of B.
// - Values of the next step are loaded during this one, from a ring of four pairs of tiles, so that
//   neither shared nor global memory is waited for.
// Bound by the issue of instructions: 15 of 16 in the loop are multiply-adds. What is left of
// conflicts, `ci/golden/kernel_resources --mix bank_aware` counts.

namespace ridgeline::gemm::on_cuda {
namespace {

constexpr int tile_m = 128, tile_n = 256, tile_k = 16, threads = 256, stages = 4;
constexpr int warp_m = 64, warp_n = 64, row_gap = 32, column_gap = 16;
constexpr int padded_m = tile_m + 4;

struct Stage {
  __align__(16) float a[tile_k][padded_m];
  __align__(16) float b[tile_k][tile_n];
};

/// A thread's factors of one step along k: of 8 rows and 16 columns.
struct Factors {
  float4 a[2], b[4];

  /// Of the step `step` behind the one in whose rows of tiles the pointers are.
  __device__ __forceinline__ void load(const float* of_a, const float* of_b, int step) {
#pragma unroll
    for (int part = 0; part < 2; ++part)
      a[part] = *reinterpret_cast<const float4*>(of_a + step * padded_m + part * row_gap);
#pragma unroll
    for (int part = 0; part < 4; ++part)
      b[part] = *reinterpret_cast<const float4*>(of_b + step * tile_n + part * column_gap);
  }
};

__device__ __forceinline__ float part_of(const float4& four, int i) {
  return i == 0 ? four.x : i == 1 ? four.y : i == 2 ? four.z : four.w;
}

__device__ __forceinline__ void multiply(const Factors& by, float (&sums)[8][16]) {
#pragma unroll
  for (int row = 0; row < 8; ++row)
#pragma unroll
    for (int step = 0; step < 16; ++step) {
      const int column = row % 2 == 0 ? step : 15 - step;
      sums[row][column] += part_of(by.a[row / 4], row % 4) * part_of(by.b[column / 4], column % 4);
    }
}

template <bool wide>
__global__ void __launch_bounds__(threads, 1)
    bank_aware_kernel(std::int64_t m, std::int64_t n, std::int64_t k, const float* a,
                      const float* b, float* c, float one, std::int64_t tile_columns) {
  RIDGELINE_DYNAMIC_SHARED(Stage, ring);
  const std::int64_t i0 = blockIdx.x / tile_columns * tile_m,
                     j0 = blockIdx.x % tile_columns * tile_n;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int i = warp / (tile_n / warp_n) * warp_m + row_of_lane(lane) * 4,
            j = warp % (tile_n / warp_n) * warp_n + column_of_lane(lane) * 4;
  float sums[8][16] = {};
  TileCopies<wide, Stage> copies(m, n, k, a, b, i0, j0);
  int slabs = copies.left();
#pragma unroll 1
  for (int stage = 0; stage < stages; ++stage) copies.start(ring[stage]);
  ptx::copy_async_wait<stages - 1>();
  __syncthreads();

  Factors now, next;
  if (slabs > 0) now.load(&ring[0].a[0][i], &ring[0].b[0][j], 0);
  int stage = 0;
  for (; slabs > 0; --slabs) {
    const float *of_a = &ring[stage].a[0][i], *of_b = &ring[stage].b[0][j];
    const float* const last = of_a + (tile_k - 2) * padded_m;
#pragma unroll 1
    while (of_a != last) {
      next.load(of_a, of_b, 1);
      multiply(now, sums);
      now.load(of_a, of_b, 2);
      multiply(next, sums);
      of_a += 2 * padded_m;
      of_b += 2 * tile_n;
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

#pragma unroll
  for (int row = 0; row < 8; ++row)
#pragma unroll
    for (int first = 0; first < 16; first += 4)
      store4<wide>(c, m, n, i0 + i + row % 4 + row / 4 * row_gap, j0 + j + first / 4 * column_gap,
                   make_float4(sums[row][first] * one, sums[row][first + 1] * one,
                               sums[row][first + 2] * one, sums[row][first + 3] * one));
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const Tiles tiles(problem, tile_m, tile_n);
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
          {.sectors_per_load = 8, .sectors_per_store = 16, .wavefronts_per_shared_request = 2}};
}

}  // namespace ridgeline::gemm::on_cuda
