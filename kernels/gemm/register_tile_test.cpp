#include "kernels/gemm/register_tile.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace ridgeline::gemm {
namespace register_tile_test {

// cpu/register_tiled.cpp uses the widest tile of the CPU; here every tile that the CPU can run is
// checked, with small integers, whose sums are exact.
void check(const RegisterTile& tile) {
  const int k = 7, stride = tile.columns + 3;
  std::vector<float> a(static_cast<std::size_t>(k * tile.rows)),
      b(static_cast<std::size_t>(k * tile.columns));
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 11) - 5;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 13) - 6;
  std::vector<float> c(static_cast<std::size_t>(tile.rows * stride), 1000.0f);
  tile.multiply(k, a.data(), b.data(), c.data(), stride, false);
  tile.multiply(k, a.data(), b.data(), c.data(), stride, true);
  for (int row = 0; row < tile.rows; ++row) {
    for (int column = 0; column < stride; ++column) {
      float sum = 0;
      for (int p = 0; p < k && column < tile.columns; ++p)
        sum += 2 * a[p * tile.rows + row] * b[p * tile.columns + column];
      EXPECT_EQ(c[row * stride + column], column < tile.columns ? sum : 1000.0f)
          << row << ", " << column;
    }
  }
}

TEST(RegisterTile, Baseline) { check(tile_baseline); }
TEST(RegisterTile, Avx2) {
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
    GTEST_SKIP() << "this CPU has no AVX2 and FMA";
  check(tile_avx2);
}
TEST(RegisterTile, Avx512) {
  if (!__builtin_cpu_supports("avx512f")) GTEST_SKIP() << "this CPU has no AVX-512";
  check(tile_avx512);
}

}  // namespace register_tile_test
}  // namespace ridgeline::gemm
