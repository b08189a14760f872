#pragma once

#include <cstdint>

#include "harness/device/kernel.hpp"
#include "kernels/gemm/cuda/whole_store.cuh"

// What the rungs share whose threads keep 8 x 8 sums of f32 and move four elements at a time. A
// block of 256 threads makes 128 x 128 of C from tiles 16 deep.
namespace ridgeline::gemm::on_cuda {

inline constexpr int quads_m = 128, quads_n = 128, quads_k = 16, quads_threads = 256;

/// Tiles in shared memory, that of A transposed, so that both factors are read by row.
struct QuadTiles {
  // The padding halves the bank conflicts of stores that transpose, and keeps rows 16-byte aligned.
  __align__(16) float a[quads_k][quads_m + 4];
  __align__(16) float b[quads_k][quads_n];
};

/// Elements (row, column .. column + 3) of a rows x columns matrix; zeros beyond the edges. `wide`
/// promises that columns is a multiple of 4.
template <bool wide>
__device__ __forceinline__ float4 load4(const float* matrix, std::int64_t rows,
                                        std::int64_t columns, std::int64_t row,
                                        std::int64_t column) {
  if (row >= rows || column >= columns) return make_float4(0, 0, 0, 0);
  const float* from = matrix + row * columns + column;
  if constexpr (wide) return *reinterpret_cast<const float4*>(from);
  const std::int64_t n = columns - column;
  return make_float4(from[0], n > 1 ? from[1] : 0.f, n > 2 ? from[2] : 0.f, n > 3 ? from[3] : 0.f);
}

/// Writes value to elements (row, column .. column + 3), as far as they are inside.
template <bool wide>
__device__ __forceinline__ void store4(float* matrix, std::int64_t rows, std::int64_t columns,
                                       std::int64_t row, std::int64_t column, float4 value) {
  if (row >= rows || column >= columns) return;
  const std::int64_t first = row * columns + column;
  if constexpr (wide) {
    store_whole(matrix, first, value);
  } else {
    float* const to = matrix + first;
    const std::int64_t inside = columns - column;
    to[0] = value.x;
    if (inside > 1) to[1] = value.y;
    if (inside > 2) to[2] = value.z;
    if (inside > 3) to[3] = value.w;
  }
}

/// Brings both tiles of step p for the block whose first element of C is (i0, j0), through
/// registers; by all threads.
template <bool wide>
__device__ __forceinline__ void load_tiles(QuadTiles& tiles, std::int64_t m, std::int64_t n,
                                           std::int64_t k, const float* a, const float* b,
                                           std::int64_t i0, std::int64_t j0, std::int64_t p) {
  const int thread = threadIdx.x;
#pragma unroll
  for (int part = 0; part < 2; ++part) {
    const int a_row = thread / 4 + 64 * part, a_column = thread % 4 * 4;
    const float4 from_a = load4<wide>(a, m, k, i0 + a_row, p + a_column);
    tiles.a[a_column + 0][a_row] = from_a.x;
    tiles.a[a_column + 1][a_row] = from_a.y;
    tiles.a[a_column + 2][a_row] = from_a.z;
    tiles.a[a_column + 3][a_row] = from_a.w;
    const int b_row = thread / 32 + 8 * part, b_column = thread % 32 * 4;
    *reinterpret_cast<float4*>(&tiles.b[b_row][b_column]) =
        load4<wide>(b, k, n, p + b_row, j0 + b_column);
  }
}

/// Adds the product of two tiles to a thread's sums: four 4 x 4 squares, which begin at row i and
/// column j of the block's and are `row_gap` rows and `column_gap` columns apart. `unrolled` steps
/// along k stand in the code.
template <int row_gap, int column_gap, int unrolled = quads_k>
__device__ __forceinline__ void multiply_tiles(const QuadTiles& tiles, int i, int j,
                                               float (&sums)[8][8]) {
#pragma unroll unrolled
  for (int q = 0; q < quads_k; ++q) {
    const float4 a_low = *reinterpret_cast<const float4*>(&tiles.a[q][i]);
    const float4 a_high = *reinterpret_cast<const float4*>(&tiles.a[q][i + row_gap]);
    const float4 b_low = *reinterpret_cast<const float4*>(&tiles.b[q][j]);
    const float4 b_high = *reinterpret_cast<const float4*>(&tiles.b[q][j + column_gap]);
    const float left[8] = {a_low.x,  a_low.y,  a_low.z,  a_low.w,
                           a_high.x, a_high.y, a_high.z, a_high.w};
    const float right[8] = {b_low.x,  b_low.y,  b_low.z,  b_low.w,
                            b_high.x, b_high.y, b_high.z, b_high.w};
#pragma unroll
    for (int row = 0; row < 8; ++row)
#pragma unroll
      for (int column = 0; column < 8; ++column) sums[row][column] += left[row] * right[column];
  }
}

/// Writes the sums to C, in which the first square begins at (i, j).
template <bool wide, int row_gap, int column_gap>
__device__ __forceinline__ void store_sums(float* c, std::int64_t m, std::int64_t n, std::int64_t i,
                                           std::int64_t j, const float (&sums)[8][8]) {
#pragma unroll
  for (int row = 0; row < 8; ++row) {
    const std::int64_t to_row = i + row % 4 + row / 4 * row_gap;
    store4<wide>(c, m, n, to_row, j,
                 make_float4(sums[row][0], sums[row][1], sums[row][2], sums[row][3]));
    store4<wide>(c, m, n, to_row, j + column_gap,
                 make_float4(sums[row][4], sums[row][5], sums[row][6], sums[row][7]));
  }
}

}  // namespace ridgeline::gemm::on_cuda
