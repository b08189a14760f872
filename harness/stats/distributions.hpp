#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "harness/stats/interval.hpp"

/// Probabilities of the distributions that the statistics stand on; most are from Boost.Math, whose
/// headers no other file pays for.
namespace ridgeline::stats {

/// Throws Error unless 0 < confidence < 1.
void check_confidence(double confidence);

/// P(B <= k) for B ~ Binomial(n, 1/2); 0 for a negative k.
double coin_cdf(double k, std::size_t n);

/// About the largest k with P(B <= k) <= `probability` for B ~ Binomial(n, 1/2): it may be off by
/// one.
std::size_t coin_quantile(double probability, std::size_t n);

/// P(S <= limit) where S sums those of `scores`, all positive, whose fair coins fall heads: what a
/// signed-rank statistic follows when nothing but chance decides on which side of the centre a
/// value lies. Exact by dynamic programming, up to rounding from 54 scores on.
double coin_sum_at_most(std::span<const std::int64_t> scores, std::int64_t limit);

/// The value that Student's t with `freedom` > 0 degrees of freedom stays below with `probability`.
double student_t_quantile(double probability, double freedom);

/// The value that a standard normal variable exceeds with `probability`.
double normal_quantile_above(double probability);

/// P(X >= k) where X counts those of a kind among `drawn` of `all` things, `of_kind` of which are
/// of it: the one-sided test of Fisher (1935) for a table of four counts. Needs k <= drawn <= all
/// and of_kind <= all.
double drawn_at_least(std::size_t k, std::size_t drawn, std::size_t of_kind, std::size_t all);

/// Clopper and Pearson's exact interval of a proportion: `successes` of `trials`. Throws Error
/// unless 0 <= successes <= trials and trials >= 1.
Interval proportion_interval(std::int64_t successes, std::int64_t trials, double confidence = 0.95);

}  // namespace ridgeline::stats
