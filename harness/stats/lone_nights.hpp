#pragma once

#include <span>

/// How often single nights lie off by themselves.
namespace ridgeline::stats {

/// The share of `values` that lie `off` or more (below 0: less) beside both the median of the week
/// before and that of the week behind them. Those with fewer than three values on a side are not
/// asked; 0 where none is.
double share_of_lone(std::span<const double> values, double off);

}  // namespace ridgeline::stats
