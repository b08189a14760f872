#include "kernels/gemm/cpu_support.hpp"
#include "kernels/gemm/gemm.hpp"

// Each element of C is a dot product of a row of A and a column of B, one element after the other.
// Bound by memory: the column is read with a stride of n elements, so that each product fetches a
// cache line of B, of which one element is used. Rows of C are spread over the threads.

namespace ridgeline::gemm::on_cpu {

static void launch(const Problem& problem, const Operands& operands, device::Stream&) {
  const auto [m, n, k, dtype] = problem;
  const auto* a = static_cast<const float*>(operands.a);
  const auto* b = static_cast<const float*>(operands.b);
  auto* c = static_cast<float*>(operands.c);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t j = 0; j < n; ++j) {
      float sum = 0;
      for (std::int64_t p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
      c[i * n + j] = sum;
    }
  }
}

Variant naive() {
  return {"one dot product per element of C, B read by column", {DType::f32}, f32_only, launch};
}

}  // namespace ridgeline::gemm::on_cpu
