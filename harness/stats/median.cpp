#include "harness/stats/median.hpp"

#include <algorithm>
#include <cmath>

#include "harness/base/error.hpp"

namespace ridgeline::stats {

namespace {

std::vector<double> checked_copy(std::span<const double> values) {
  if (values.empty()) throw Error(ErrorKind::internal, "a statistic of no values was asked for");
  if (std::ranges::any_of(values, [](double value) { return std::isnan(value); }))
    throw Error(ErrorKind::internal, "a statistic of a value that is not a number was asked for");
  return {values.begin(), values.end()};
}

}  // namespace

std::vector<double> sorted(std::span<const double> values) {
  std::vector<double> copy = checked_copy(values);
  std::ranges::sort(copy);
  return copy;
}

double median_of_sorted(std::span<const double> ascending) {
  const std::size_t middle = ascending.size() / 2;
  if (ascending.size() % 2 == 1) return ascending[middle];
  // Halved first: the sum of two large values may overflow.
  return ascending[middle - 1] / 2 + ascending[middle] / 2;
}

// Without an order of all values: there may be thousands of them, thousands of times.
double median(std::span<const double> values) {
  std::vector<double> copy = checked_copy(values);
  const auto middle = copy.begin() + static_cast<std::ptrdiff_t>(copy.size() / 2);
  std::ranges::nth_element(copy, middle);
  if (copy.size() % 2 == 1) return *middle;
  return *std::max_element(copy.begin(), middle) / 2 + *middle / 2;
}

double quantile(std::span<const double> values, double p) {
  if (!(p >= 0 && p <= 1))
    throw Error(ErrorKind::internal, "a quantile outside [0, 1] was asked for");
  std::vector<double> copy = checked_copy(values);
  const double position = p * static_cast<double>(copy.size() - 1);
  const double below = std::floor(position), fraction = position - below;
  const auto at = copy.begin() + static_cast<std::ptrdiff_t>(below);
  std::ranges::nth_element(copy, at);
  if (fraction == 0) return *at;
  return std::lerp(*at, *std::min_element(at + 1, copy.end()), fraction);
}

}  // namespace ridgeline::stats
