#pragma once

#include <span>
#include <vector>

namespace ridgeline::stats {

/// `values` in ascending order. Throws Error when there are none or one is NaN, which has no place in an order.
std::vector<double> sorted(std::span<const double> values);

/// Median of values in ascending order, at least one.
double median_of_sorted(std::span<const double> ascending);

}  // namespace ridgeline::stats
