#include "kernels/gemm/measure.hpp"

#include <cmath>

namespace ridgeline::gemm {

Measure measure(const Problem& problem) {
  const DType stored = stored_as(problem.dtype);
  Measure result;
  result.final_rounding = unit_roundoff(stored);
  result.underflow = stored == DType::f16 ? 0x1p-25 : stored == DType::bf16 ? 0x1p-134 : 0x1p-150;
  result.tolerance = 4.0 * std::sqrt(static_cast<double>(problem.k)) * unit_roundoff(DType::f32);
  if (problem.dtype == DType::tf32) result.tolerance += 4.0 * unit_roundoff(DType::tf32);
  return result;
}

}  // namespace ridgeline::gemm
