#pragma once

#include <span>

namespace ridgeline::stats {

/// Median of the slopes between all pairs of values, which are one apart (P. Sen: Estimates of the regression
/// coefficient based on Kendall's tau, Journal of the American Statistical Association 63 (1968),
/// doi:10.1080/01621459.1968.10480934). Takes time and memory of the number of values squared. Throws Error for fewer
/// than 2 values.
double theil_sen_slope(std::span<const double> values);

}  // namespace ridgeline::stats
