#pragma once

#include <span>
#include <vector>

namespace ridgeline::stats {

/// Median of `values`: the mean of the middle two when the count is even.
/// Throws Error when empty, because a missing measurement must never read as 0. Copies, since
/// callers keep time order.
double median(std::span<const double> values);

/// `values` in ascending order. Throws Error when there are none or one is NaN, which has no place
/// in an order.
std::vector<double> sorted(std::span<const double> values);

/// Median of values in ascending order, at least one.
double median_of_sorted(std::span<const double> ascending);

/// Quantile by linear interpolation between order statistics (Hyndman and Fan's type 7),
/// 0 <= p <= 1. Throws when empty.
double quantile(std::span<const double> values, double p);

}  // namespace ridgeline::stats
