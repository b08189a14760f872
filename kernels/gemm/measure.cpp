#include "kernels/gemm/measure.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace ridgeline::gemm {
namespace {

/// The share of a sum of positive products that is cut off at most; see measure.hpp.
double cut_off(const Problem& problem) {
  if (problem.dtype == DType::f32) return 0;
  const bool bytes = is_e4m3(problem.dtype);
  const std::int64_t together =
      problem.dtype == DType::e4m3 ? std::min<std::int64_t>(problem.k, 128) : problem.k;
  const double x = (bytes ? 34.0 / 32 * 0x1p-13 : 1.5 * 0x1p-23) * static_cast<double>(together);
  return x > 0 ? 1 + std::expm1(-x) / x : 0;
}

}  // namespace

Measure measure(const Problem& problem, device::Distribution inputs) {
  const DType stored = stored_as(problem.dtype);
  Measure result;
  result.final_rounding = unit_roundoff(stored);
  result.underflow = stored == DType::f16 ? 0x1p-25 : stored == DType::bf16 ? 0x1p-134 : 0x1p-150;
  result.tolerance = 4.0 * std::sqrt(static_cast<double>(problem.k)) * unit_roundoff(DType::f32);
  if (problem.dtype == DType::e4m3 && problem.k > 0)
    result.tolerance = std::numbers::pi / 2 * 0.002 / std::sqrt(static_cast<double>(problem.k));
  if (problem.dtype == DType::e4m3_fast) result.tolerance = 12 * 0x1p-13;
  if (problem.dtype == DType::tf32) result.tolerance += 4.0 * unit_roundoff(DType::tf32);
  if (inputs == device::Distribution::positive) result.tolerance += cut_off(problem);
  return result;
}

}  // namespace ridgeline::gemm
