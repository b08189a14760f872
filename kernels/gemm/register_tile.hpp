#pragma once

#include <cstdint>

// The innermost loop of products on the CPU, once for each vector width. This header is included
// after a target pragma, so it includes no library code: what is compiled here may run on some CPUs
// only and must not be shared with other files.

namespace ridgeline::gemm {

/// C tile (rows x columns) = or += panel of A (k x rows) * panel of B (k x columns), both packed:
/// element (row, p) of A is at a[p * rows + row], element (p, column) of B at
/// b[p * columns + column]. C has `stride` elements from row to row.
using TileProduct = void (*)(std::int64_t k, const float* a, const float* b, float* c,
                             std::int64_t stride, bool add);

struct RegisterTile {
  int rows, columns;
  TileProduct multiply;
};

extern const RegisterTile tile_avx512, tile_avx2, tile_baseline;

/// The widest tile that this CPU can run.
const RegisterTile& widest_tile();

namespace {

/// rows x vectors accumulators live in registers; each step of p loads `vectors` vectors of B and
/// one element of A a row.
template <int lanes, int rows, int vectors>
void tile_product(std::int64_t k, const float* a, const float* b, float* c, std::int64_t stride,
                  bool add) {
  using Vector [[gnu::vector_size(lanes * sizeof(float))]] = float;
  Vector sums[rows][vectors] = {};
  for (std::int64_t p = 0; p < k; ++p, a += rows, b += std::int64_t{lanes} * vectors) {
    Vector b_row[vectors];
#pragma GCC unroll 8
    for (std::int64_t v = 0; v < vectors; ++v)
      __builtin_memcpy(&b_row[v], b + v * lanes, sizeof(Vector));
#pragma GCC unroll 16
    for (int row = 0; row < rows; ++row)
#pragma GCC unroll 8
      for (std::int64_t v = 0; v < vectors; ++v) sums[row][v] += a[row] * b_row[v];
  }
#pragma GCC unroll 16
  for (int row = 0; row < rows; ++row) {
#pragma GCC unroll 8
    for (std::int64_t v = 0; v < vectors; ++v) {
      float* to = c + row * stride + v * lanes;
      Vector result = sums[row][v];
      if (add) {
        Vector before;
        __builtin_memcpy(&before, to, sizeof(Vector));
        result += before;
      }
      __builtin_memcpy(to, &result, sizeof(Vector));
    }
  }
}

template <int lanes, int rows, int vectors>
constexpr RegisterTile make_tile() {
  return {rows, lanes * vectors, tile_product<lanes, rows, vectors>};
}

}  // namespace
}  // namespace ridgeline::gemm
