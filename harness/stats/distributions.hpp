#pragma once

#include <cstddef>

/// Probabilities of the distributions that the statistics stand on, from Boost.Math, whose headers no other file pays
/// for.
namespace ridgeline::stats {

/// P(B <= k) for B ~ Binomial(n, 1/2); 0 for a negative k.
double coin_cdf(double k, std::size_t n);

/// About the largest k with P(B <= k) <= `probability` for B ~ Binomial(n, 1/2): it may be off by one.
std::size_t coin_quantile(double probability, std::size_t n);

/// The value that Student's t with `freedom` > 0 degrees of freedom stays below with `probability`.
double student_t_quantile(double probability, double freedom);

/// The value that a standard normal variable exceeds with `probability`.
double normal_quantile_above(double probability);

/// Bounds of Clopper and Pearson for the success probability of `trials` with `successes`, each missed with
/// probability `tail` at most.
double binomial_lower_bound(double trials, double successes, double tail);
double binomial_upper_bound(double trials, double successes, double tail);

}  // namespace ridgeline::stats
