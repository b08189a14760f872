#include <algorithm>

#include "kernels/gemm/cpu_support.hpp"
#include "kernels/gemm/gemm.hpp"

// `loop_reordered` in tiles: a tile of B (128 x 512 floats, 256 KiB) stays in the L2 cache of its
// core while all rows of a tile of C use it, so that B is fetched from memory once per tile of rows
// instead of once per row. Bound by L1 loads and stores: every product still loads B and C and
// stores C.

namespace ridgeline::gemm::on_cpu {
namespace {

constexpr std::int64_t tile_m = 64, tile_n = 512, tile_k = 128;

void launch(const Problem& problem, const Operands& operands, device::Stream&) {
  const auto [m, n, k, dtype] = problem;
  const auto* a = static_cast<const float*>(operands.a);
  const auto* b = static_cast<const float*>(operands.b);
  auto* c = static_cast<float*>(operands.c);
#pragma omp parallel for collapse(2) schedule(dynamic)
  for (std::int64_t i0 = 0; i0 < m; i0 += tile_m) {
    for (std::int64_t j0 = 0; j0 < n; j0 += tile_n) {
      const std::int64_t i1 = std::min(i0 + tile_m, m), columns = std::min(tile_n, n - j0);
      for (std::int64_t i = i0; i < i1; ++i) std::fill_n(c + i * n + j0, columns, 0.0f);
      for (std::int64_t p0 = 0; p0 < k; p0 += tile_k) {
        const std::int64_t p1 = std::min(p0 + tile_k, k);
        for (std::int64_t i = i0; i < i1; ++i) {
          float* c_row = c + i * n + j0;
          for (std::int64_t p = p0; p < p1; ++p) {
            const float factor = a[i * k + p];
            const float* b_row = b + p * n + j0;
#pragma omp simd
            for (std::int64_t j = 0; j < columns; ++j) c_row[j] += factor * b_row[j];
          }
        }
      }
    }
  }
}

}  // namespace

Variant cache_tiled() {
  return {"tiles of B stay in L2 while a tile of rows uses them", {DType::f32}, f32_only, launch};
}

}  // namespace ridgeline::gemm::on_cpu
