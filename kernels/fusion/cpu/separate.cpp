#include <cmath>

#include "kernels/fusion/cpu/arrays.hpp"
#include "kernels/simd/vectors.hpp"

// One pass over the arrays per operation, rows spread over the threads. Each pass reads what the
// last one wrote, through memory unless the arrays fit a cache. Bound by DRAM.
namespace ridgeline::fusion::on_cpu {
namespace {

#define RIDGELINE_SIMD_LOOPS "kernels/fusion/cpu/steps.inl"
#include "kernels/simd/each_isa.inl"

void launch(const Problem& problem, const Operands& operands, device::Stream&) {
  const Arrays of(operands);
  const std::int64_t cols = problem.cols;
  const auto each_row = [&](auto step) {
#pragma omp parallel for schedule(static)
    for (std::int64_t row = 0; row < problem.rows; ++row) step(row * cols);
  };
  const auto add_of = RIDGELINE_LOOP(add);
  const auto gelu_of = RIDGELINE_LOOP(gelu);
  const auto dropout_of = RIDGELINE_LOOP(dropout);
  const auto layer_norm_of = RIDGELINE_LOOP(layer_norm);
  each_row([&](std::int64_t at) { add_of(of.x + at, of.bias, of.out + at, cols); });
  each_row([&](std::int64_t at) { gelu_of(of.out + at, of.out + at, cols); });
  each_row([&](std::int64_t at) { dropout_of(of.out + at, cols, operands.mask_seed, at); });
  each_row([&](std::int64_t at) { add_of(of.residual + at, of.out + at, of.out + at, cols); });
  each_row([&](std::int64_t at) { layer_norm_of(of.out + at, of.gamma, of.beta, cols); });
}

}  // namespace

Variant separate() {
  return {"one pass an operation, results between them through memory",
          {DType::f32},
          Stored::all,
          5,
          f32_only,
          launch,
          [](const Problem& problem) { return traffic(problem, 6, 4, 1); }};
}

}  // namespace ridgeline::fusion::on_cpu
