#include <algorithm>

#include "kernels/gemm/cpu_support.hpp"
#include "kernels/gemm/gemm.hpp"

// The two inner loops change places over `naive`: a row of C grows by multiples of rows of B, so
// that all accesses are sequential and the compiler vectorises them.
// Bound by the caches: every product loads an element of B and of C and stores C again, and B
// streams through once per row.

namespace ridgeline::gemm::on_cpu {

static void launch(const Problem& problem, const Operands& operands, device::Stream&) {
  const auto [m, n, k, dtype] = problem;
  const auto* a = static_cast<const float*>(operands.a);
  const auto* b = static_cast<const float*>(operands.b);
  auto* c = static_cast<float*>(operands.c);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < m; ++i) {
    float* c_row = c + i * n;
    std::fill(c_row, c_row + n, 0.0f);
    for (std::int64_t p = 0; p < k; ++p) {
      const float factor = a[i * k + p];
      const float* b_row = b + p * n;
#pragma omp simd
      for (std::int64_t j = 0; j < n; ++j) c_row[j] += factor * b_row[j];
    }
  }
}

Variant loop_reordered() {
  return {"rows of B scaled and added to a row of C: sequential access",
          {DType::f32},
          f32_only,
          launch};
}

}  // namespace ridgeline::gemm::on_cpu
