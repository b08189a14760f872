#pragma once

#include <span>
#include <vector>

namespace ridgeline::stats {

/// Median of `values`: the mean of the middle two when the count is even.
/// Throws Error when empty, because a missing measurement must never read as 0. Copies, since callers keep time order.
double median(std::span<const double> values);

/// Quantile by linear interpolation between order statistics (Hyndman and Fan's type 7), 0 <= p <= 1. Throws when
/// empty.
double quantile(std::span<const double> values, double p);

}  // namespace ridgeline::stats
