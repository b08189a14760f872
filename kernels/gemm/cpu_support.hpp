#pragma once

#include "kernels/gemm/gemm.hpp"

namespace ridgeline::gemm::on_cpu {

/// What every own CPU variant supports: f32, any shape.
inline device::Support f32_only(const Problem& problem, const device::Facts&) {
  if (problem.dtype == DType::f32) return device::Support::yes();
  return device::Support::unsupported("on the CPU only f32 is multiplied");
}

}  // namespace ridgeline::gemm::on_cpu
