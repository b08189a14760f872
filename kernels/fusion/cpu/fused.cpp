#include <cmath>

#include "kernels/fusion/cpu/arrays.hpp"
#include "kernels/simd/vectors.hpp"

// One pass: a thread takes a row through bias, GELU, dropout and residual and normalises it while
// it is in the nearest cache. Bound by arithmetic, the exponential and the mask, or by DRAM where
// many cores share it.
namespace ridgeline::fusion::on_cpu {
namespace {

#define RIDGELINE_SIMD_LOOPS "kernels/fusion/cpu/steps.inl"
#include "kernels/simd/each_isa.inl"

void launch(const Problem& problem, const Operands& operands, device::Stream&) {
  const Arrays of(operands);
  const std::int64_t cols = problem.cols;
  const auto activate_of = RIDGELINE_LOOP(activate);
  const auto layer_norm_of = RIDGELINE_LOOP(layer_norm);
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < problem.rows; ++row) {
    const std::int64_t at = row * cols;
    activate_of(of.x + at, of.bias, of.residual + at, of.out + at, cols, operands.mask_seed, at);
    layer_norm_of(of.out + at, of.gamma, of.beta, cols);
  }
}

}  // namespace

Variant fused() {
  return {"one pass, a row at a time",
          {DType::f32},
          Stored::none,
          1,
          f32_only,
          launch,
          [](const Problem& problem) { return traffic(problem, 2, 0, 1); }};
}

}  // namespace ridgeline::fusion::on_cpu
