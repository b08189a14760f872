#pragma once

#include <span>

#include "harness/stats/interval.hpp"

/// Two independent samples: the exact rank-sum (Wilcoxon, Mann and Whitney) test with midranks,
/// against a shift. All throw Error when a side is empty, has more than 200 values (their exact
/// distribution takes seconds), or when a value is not finite or too large for a sum.
namespace ridgeline::stats {

struct RankSum {
  double up = 1;    // p value against "the second sample is not above the first by more than theta"
  double down = 1;  // p value against "the second sample is not below the first plus theta"
};

/// Exact under exchangeability of all values after the shift is taken from `second`.
RankSum rank_sum(std::span<const double> first, std::span<const double> second, double theta);

/// Hodges and Lehmann's estimate of the shift: the median of all differences second - first.
double rank_sum_estimate(std::span<const double> first, std::span<const double> second);

/// All shifts that a two-sided test at 1 - confidence does not reject; infinite where nothing is
/// rejected.
Interval rank_sum_interval(std::span<const double> first, std::span<const double> second,
                           double confidence = 0.95);

}  // namespace ridgeline::stats
