#pragma once

#include <cstddef>
#include <span>
#include <vector>

/// Measures of the noise of a series that do not take a change of its level for noise: all are of
/// differences of nights that are a fixed number apart, and robust. V(k) is the mean square of the
/// differences of nights k apart, a structure function; twice the Allan variance of averages is of
/// the same family (D. Allan: Statistics of atomic frequency standards, Proceedings of the IEEE 54
/// (1966), doi:10.1109/PROC.1966.4634).
namespace ridgeline::stats {

/// Root mean square of `deviations` from 0, none of them counted as more than 2.7 times their
/// robust standard deviation (1.4826 times the median of the magnitudes); at least `least`, which
/// is also that of none. Unlike the median alone it sees a tenth of the nights being far away.
double capped_spread(std::vector<double> deviations, double least);

/// A mean in which no value counts as more than two `sd` from the median: one step of Huber's
/// estimator. Of one value or more.
double clamped_mean(std::span<const double> values, double sd);
/// Of values in ascending order.
double clamped_mean_of_sorted(std::span<const double> ascending, double sd);

/// Variance of (the mean of `after` nights) - (the mean of the `before` nights before them) in
/// noise of which the next night keeps `phi`, AR(1), and whose differences of neighbours have
/// variance 1. phi = 1 is a random walk.
double move_variance(std::size_t after, std::size_t before, double phi);

/// The phi in [0, 1] that the structure function tells: V(2) / V(1) = 1 + phi and V(4) / V(1) =
/// 1 + phi + phi^2 + phi^3, the larger of both.
double carried_over(double v1, double v2, double v4);

/// What values are rounded to, as far as it shows: the smallest difference that was seen twice,
/// where a fifth of the `magnitudes` of differences of neighbours or more are 0; otherwise 0.
double visible_tick(const std::vector<double>& magnitudes);

}  // namespace ridgeline::stats
