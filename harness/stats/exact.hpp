#pragma once

#include <cmath>
#include <compare>
#include <limits>
#include <span>

#include "harness/base/error.hpp"

/// Comparisons without rounding, so that a rank does not hang on the last bit of a difference.
namespace ridgeline::stats {

/// a + b against c, as if computed exactly. All three as check_range leaves them.
inline std::strong_ordering compare_sum(double a, double b, double c) {
  // Knuth's two-sum: sum + error is a + b exactly. Rounding keeps the order, so the error decides
  // only between equals.
  const double sum = a + b;
  const double of_b = sum - a;
  const double error = (a - (sum - of_b)) + (b - of_b);
  if (sum < c) return std::strong_ordering::less;
  if (sum > c) return std::strong_ordering::greater;
  if (error < 0) return std::strong_ordering::less;
  return error > 0 ? std::strong_ordering::greater : std::strong_ordering::equal;
}

/// Throws Error unless every value is finite and small enough for the sum of any two to be.
inline void check_range(std::span<const double> values) {
  for (const double value : values) {
    if (!std::isfinite(value))
      throw Error(ErrorKind::internal, "a rank test of a value that is not finite was asked for");
    if (std::abs(value) > std::numeric_limits<double>::max() / 2)
      throw Error(ErrorKind::internal,
                  "a rank test of a value too large to be added to another was asked for");
  }
}

}  // namespace ridgeline::stats
