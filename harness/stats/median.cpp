#include "harness/stats/median.hpp"

#include <algorithm>
#include <cmath>

#include "harness/base/error.hpp"
#include "harness/stats/sorted.hpp"

namespace ridgeline::stats {

std::vector<double> sorted(std::span<const double> values) {
  if (values.empty()) throw Error(ErrorKind::internal, "a statistic of no values was asked for");
  for (const double value : values)
    if (std::isnan(value))
      throw Error(ErrorKind::internal, "a statistic of a value that is not a number was asked for");
  std::vector<double> copy(values.begin(), values.end());
  std::sort(copy.begin(), copy.end());
  return copy;
}

double median_of_sorted(std::span<const double> ascending) {
  const std::size_t middle = ascending.size() / 2;
  if (ascending.size() % 2 == 1) return ascending[middle];
  // Halved first: the sum of two large values may overflow.
  return ascending[middle - 1] / 2 + ascending[middle] / 2;
}

double median(std::span<const double> values) { return median_of_sorted(sorted(values)); }

double quantile(std::span<const double> values, double p) {
  if (!(p >= 0 && p <= 1)) throw Error(ErrorKind::internal, "a quantile outside [0, 1] was asked for");
  const std::vector<double> ascending = sorted(values);
  const double position = p * static_cast<double>(ascending.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const double fraction = position - static_cast<double>(below);
  if (fraction == 0) return ascending[below];
  return std::lerp(ascending[below], ascending[below + 1], fraction);
}

}  // namespace ridgeline::stats
