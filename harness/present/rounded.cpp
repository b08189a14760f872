#include "harness/present/rounded.hpp"

#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace ridgeline::present {

json::Value rounded(double ns, int significant) {
  const int power_of_10 = static_cast<int>(std::floor(std::log10(ns)));
  const int digits = significant - 1 - power_of_10;  // behind the point
  const double power = std::pow(10, std::abs(digits));
  const double value = digits > 0 ? std::round(ns * power) / power : std::round(ns / power) * power;
  constexpr double most_whole = 1e15;  // that a double holds exactly
  if (!std::isfinite(value)) return ns;
  if (value < most_whole && value == std::floor(value)) return static_cast<std::int64_t>(value);
  return value;
}

}  // namespace ridgeline::present
