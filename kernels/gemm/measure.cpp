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

/// In units of 2^-13: the scale of the exponential tail of a sum that tensor cores cut.
constexpr double cut_scale = 0.43;
/// The same: what one of 2^28 such sums exceeds with a probability of 2e-4.
constexpr double largest_cut = 12;

/// What a sum of `parts` cut sums exceeds as rarely, in the same units; see measure.hpp.
double largest_cut_of(double parts) {
  const double wanted = largest_cut / cut_scale + std::numbers::ln2;
  double low = 0, high = 1;  // the exponent is 0 at 0, and has no bound at 1
  for (int i = 0; i < 60; ++i) {
    const double u = (low + high) / 2, left = 1 - u * u;
    (parts * (2 * u * u / left + std::log(left)) < wanted ? low : high) = u;
  }
  return std::min(largest_cut, cut_scale * 2 * low / (1 - low * low));
}

}  // namespace

Measure measure(const Problem& problem, device::Distribution inputs) {
  const DType stored = stored_as(problem.dtype);
  Measure result;
  result.final_rounding = unit_roundoff(stored);
  result.underflow = stored == DType::f16 ? 0x1p-25 : stored == DType::bf16 ? 0x1p-134 : 0x1p-150;
  result.tolerance = 4.0 * std::sqrt(static_cast<double>(problem.k)) * unit_roundoff(DType::f32);
  if (problem.dtype == DType::e4m3)
    result.tolerance =
        largest_cut_of(std::max(1.0, static_cast<double>(problem.k) / 128)) * 0x1p-13;
  if (problem.dtype == DType::e4m3_fast) result.tolerance = largest_cut * 0x1p-13;
  if (problem.dtype == DType::tf32) result.tolerance += 4.0 * unit_roundoff(DType::tf32);
  if (inputs == device::Distribution::positive) result.tolerance += cut_off(problem);
  return result;
}

}  // namespace ridgeline::gemm
