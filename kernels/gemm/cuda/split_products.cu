#include "harness/device/kernel.hpp"
#include "kernels/gemm/cuda/bands.cuh"
#include "kernels/gemm/cuda/half_tiles.cuh"
#include "kernels/gemm/cuda/split_halves.cuh"
#include "kernels/gemm/cuda_support.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/ptx/mma.cuh"

// f32 on the tensor cores of `mma_sync`: each element of A and B is split into two f16
// (split_halves.cuh), and C = high high + high low + low high, three products of which each takes a
// fraction of the time that f32 takes on CUDA cores. What is left out, low low, is at most 2^-22 of
// a product, and the two splits cost 2^-23 each: at most 2^-21 |a| |b| for a product, where one
// rounding of f32 costs 2^-24; over many products these errors cancel as roundings do. The
// tolerance of f32 sums covers the bound from k = 4 on. Tensor cores cut sums off where f32 rounds,
// which over a long K adds up for inputs of one sign: so they add only 16 steps along k, from zero,
// and these sums are added as f32. Bound by the tensor cores, and before them by memory, since
// splitting reads the factors twice and writes them.

namespace ridgeline::gemm::on_cuda {
namespace {

/// Adds the products of 16 steps along k to half of the sums, from row `first` of squares on.
template <int first>
__device__ __forceinline__ void multiply_half(const Fragments& high, const Fragments& low,
                                              float (&sums)[squares][2 * squares][4]) {
#pragma unroll
  for (int r = first; r < first + squares / 2; ++r) {
    float parts[2 * squares][4] = {};
    // The small ones first. Those of one element of `parts` follow each other at a distance.
    const auto add = [&](const Fragments& left, const Fragments& right) {
#pragma unroll
      for (int c = 0; c < 2 * squares; ++c)
        ptx::mma_16x8x16(ptx::F16{}, parts[c], left.a[r], right.b[c / 2][c % 2 * 2],
                         right.b[c / 2][c % 2 * 2 + 1]);
    };
    add(high, low);
    add(low, high);
    add(high, high);
#pragma unroll
    for (int c = 0; c < 2 * squares; ++c)
#pragma unroll
      for (int e = 0; e < 4; ++e) sums[r][c][e] += parts[c][e];
  }
}

/// `even` promises that n is.
template <bool even>
__device__ __forceinline__ void store(float* c, std::int64_t m, std::int64_t n, std::int64_t i,
                                      std::int64_t j, const int2* row_scales,
                                      const int2* column_scales,
                                      const float (&sums)[squares][2 * squares][4]) {
  const int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
#pragma unroll
  for (int r = 0; r < 2 * squares; ++r) {
    const std::int64_t row = i + 8 * r + g;
    if (row >= m) continue;
    const int2 of_row = row_scales[row];
#pragma unroll
    for (int q = 0; q < 2 * squares; ++q) {
      const std::int64_t column = j + 8 * q + 2 * t;
      const int inside = static_cast<int>(min(n - column, std::int64_t{2}));
      store_scaled_back<even>(c + row * n + column, inside, of_row,
                              scales_of_columns(column_scales + column, inside),
                              sums[r / 2][q][r % 2 * 2], sums[r / 2][q][r % 2 * 2 + 1]);
    }
  }
}

/// `depth` is that of the halves, 2 filled_k; `filled` what their rows of B have.
template <bool even>
__global__ void __launch_bounds__(halves_threads, 1)
    split_products_kernel(std::int64_t m, std::int64_t n, std::int64_t depth, std::int64_t filled,
                          const unsigned short* a, const unsigned short* b, const int2* row_scales,
                          const int2* column_scales, float* c, std::int64_t tile_rows,
                          std::int64_t tile_columns) {
  RIDGELINE_DYNAMIC_SHARED(HalfTiles, ring);
  const PlaceInBand place(tile_rows, tile_columns);
  const std::int64_t i0 = place.row * halves_m, j0 = place.column * halves_n;
  const int warp = threadIdx.x / 32;
  const int i = warp / (halves_n / halves_warp) * halves_warp,
            j = warp % (halves_n / halves_warp) * halves_warp;
  float sums[squares][2 * squares][4] = {};
  HalfCopies<true> copies(m, filled, depth, a, b, i0, j0);
#pragma unroll 1
  for (int stage = 0; stage < halves_stages - 1; ++stage) copies.start(ring[stage]);

  // There are no registers for the next fragments. So of the two warps of a quarter of an SM, one
  // is half a tile late: it still multiplies when the barrier opens and the other one loads.
  const bool late = warp >= 4;
  constexpr int lower = squares / 2;
  Fragments high, low;
  int stage = 0, free = halves_stages - 1;
#pragma unroll 1
  for (std::int64_t p = 0; p < depth; p += halves_k) {
    ptx::copy_async_wait<halves_stages - 2>();
    __syncthreads();  // these tiles are there, and all have loaded those before them
    if (late && p > 0) multiply_half<lower>(high, low, sums);
    high.load(ring[stage], 0, i, j);
    low.load(ring[stage], 1, i, j);
    copies.start(ring[free]);
    multiply_half<0>(high, low, sums);
    if (!late) multiply_half<lower>(high, low, sums);
    free = stage;
    stage = stage + 1 == halves_stages ? 0 : stage + 1;
  }
  if (late && depth > 0) multiply_half<lower>(high, low, sums);
  ptx::copy_async_wait<0>();
  store<even>(c, m, n, i0 + i, j0 + j, row_scales, column_scales, sums);
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const auto [m, n, k, dtype] = problem;
  if (m == 0 || n == 0) return;
  const Halves halves = split(problem, operands, stream);
  const Tiles tiles(problem, halves_m, halves_n);
  device::launch({.grid = dim3(tiles.count()),
                  .block = dim3(halves_threads),
                  .shared_bytes = halves_stages * sizeof(HalfTiles)},
                 stream, n % 2 == 0 ? split_products_kernel<true> : split_products_kernel<false>, m,
                 n, halves.k, halves.columns, halves.a, halves.b, halves.row_scales,
                 halves.column_scales, static_cast<float*>(operands.c), tiles.rows, tiles.columns);
}

device::Support supports(const Problem& problem, const device::Facts& facts) {
  if (facts.capability < 80)
    return device::Support::unsupported("mma of f16 at this depth needs compute capability 8.0");
  return f32_only(problem, facts);
}

}  // namespace

Variant split_products() {
  return {
      "f32 as two f16 each: three products on tensor cores",
      {DType::f32},
      supports,
      launch,
      halves_bytes,
      {.sectors_per_load = 11.34, .sectors_per_store = 7.45, .wavefronts_per_shared_request = 1.5},
      false,
      1,
      "3xf16"};
}

}  // namespace ridgeline::gemm::on_cuda
