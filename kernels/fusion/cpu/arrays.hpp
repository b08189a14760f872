#pragma once

#include "kernels/fusion/fusion.hpp"

namespace ridgeline::fusion::on_cpu {

/// The operands as what they are on a CPU.
struct Arrays {
  explicit Arrays(const Operands& operands)
      : x(static_cast<const float*>(operands.x)),
        bias(static_cast<const float*>(operands.bias)),
        residual(static_cast<const float*>(operands.residual)),
        gamma(static_cast<const float*>(operands.gamma)),
        beta(static_cast<const float*>(operands.beta)),
        out(static_cast<float*>(operands.out)) {}
  const float *x, *bias, *residual, *gamma, *beta;
  float* out;
};

inline device::Support f32_only(const Problem& problem, const device::Facts&) {
  if (problem.dtype == DType::f32) return device::Support::yes();
  return device::Support::unsupported("a CPU computes f32");
}

/// Traffic when whole arrays are read so often, and lines written that were read before or were
/// not.
inline kernels::Traffic traffic(const Problem& problem, int read, int overwritten, int written) {
  const std::int64_t lines = (problem.elements() * 4 + kernels::line - 1) / kernels::line;
  // A line that is overwritten has been fetched by the read that is counted.
  return {{},
          kernels::cpu_bytes(read * lines, written * lines) +
              static_cast<double>(overwritten) * kernels::line * static_cast<double>(lines)};
}

}  // namespace ridgeline::fusion::on_cpu
