#include "kernels/gemm/measure.hpp"

#include <cmath>
#include <numbers>

namespace ridgeline::gemm {

Measure measure(const Problem& problem) {
  const DType stored = stored_as(problem.dtype);
  Measure result;
  result.final_rounding = unit_roundoff(stored);
  result.underflow = stored == DType::f16 ? 0x1p-25 : stored == DType::bf16 ? 0x1p-134 : 0x1p-150;
  result.tolerance = 4.0 * std::sqrt(static_cast<double>(problem.k)) * unit_roundoff(DType::f32);
  if (problem.dtype == DType::e4m3 && problem.k > 0)
    result.tolerance = std::numbers::pi / 2 * 0.002 / std::sqrt(static_cast<double>(problem.k));
  if (problem.dtype == DType::e4m3_fast) result.tolerance = 12 * 0x1p-13;
  if (problem.dtype == DType::tf32) result.tolerance += 4.0 * unit_roundoff(DType::tf32);
  return result;
}

}  // namespace ridgeline::gemm
