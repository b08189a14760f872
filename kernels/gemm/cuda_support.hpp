#pragma once

#include "harness/device/facts.hpp"
#include "kernels/gemm/gemm.hpp"

namespace ridgeline::gemm::on_cuda {

/// What the kernels on CUDA cores support: f32, any shape.
inline device::Support f32_only(const Problem& problem, const device::Facts&) {
  if (problem.dtype == DType::f32) return device::Support::yes();
  return device::Support::unsupported("this rung multiplies f32 only");
}

/// What those support that bring f32 by asynchronous copies.
inline device::Support f32_with_copies(const Problem& problem, const device::Facts& facts) {
  if (facts.capability < 80)
    return device::Support::unsupported("cp.async needs compute capability 8.0");
  return f32_only(problem, facts);
}

/// What the kernels on tensor cores support: bf16 and f16, any shape.
inline device::Support halves_only(const Problem& problem, const device::Facts& facts) {
  if (problem.dtype != DType::f16 && problem.dtype != DType::bf16)
    return device::Support::unsupported("this rung multiplies f16 and bf16 only");
  if (facts.capability < 80)
    return device::Support::unsupported("bf16 tensor cores need compute capability 8.0");
  return device::Support::yes();
}

/// Tiles that cover a matrix, as a grid of one dimension, which has no practical limit; tile t is
/// in column t % columns.
struct Tiles {
  std::int64_t rows, columns;
  Tiles(const Problem& problem, int tile_m, int tile_n)
      : rows((problem.m + tile_m - 1) / tile_m), columns((problem.n + tile_n - 1) / tile_n) {}
  unsigned count() const { return static_cast<unsigned>(rows * columns); }
};

}  // namespace ridgeline::gemm::on_cuda
