#pragma once

#include <span>

#include "harness/stats/interval.hpp"

/// The capped signed-rank test on paired log ratios. Scores are the midranks of |D_i - theta|,
/// capped at half the number of pairs that differ from theta, so that bursts of noise weigh no more
/// than an ordinary pair. p values are exact: the distribution of the score sum when each sign is a
/// fair coin, whatever the noise looks like.
namespace ridgeline::stats {

/// Log ratios closer than this are equal: what is left of the logarithms of equal ratios, such as
/// 103/100 and 206/200, must not decide anything.
inline constexpr double same_log_ratio = 1e-12;

struct SignedRank {
  double up = 1;    // p value against "the differences are not above theta"
  double down = 1;  // p value against "the differences are not below theta"
};

/// Differences within same_log_ratio of theta are left out, and distances that close are tied. A
/// difference may be infinite, which is farther than all others. Throws Error when one is NaN, or
/// theta is not finite. With no difference from theta at all both p values are 1.
SignedRank signed_rank(std::span<const double> differences, double theta);

/// The value at which the score sum is balanced: the test's own estimate of the centre (Hodges and
/// Lehmann's construction over Walsh means). Throws when there are none or one is not finite.
double signed_rank_estimate(std::span<const double> differences);

/// All centres that a two-sided test at 1 - confidence does not reject; an end is infinite when
/// nothing that far out is rejected. Throws like the estimate.
Interval signed_rank_interval(std::span<const double> differences, double confidence = 0.95);

}  // namespace ridgeline::stats
