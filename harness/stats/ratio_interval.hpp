#pragma once

#include <optional>
#include <span>
#include <vector>

#include "harness/stats/interval.hpp"

/// How far two sets of processes are apart, each process a value. Welch's t on logarithms (Welch,
/// Biometrika 34, 1947): the sides may differ in their noise and in how many processes they have.
namespace ridgeline::stats {

/// Values that count `factor` times in a sum of means.
struct Term {
  double factor = 1;
  std::span<const double> values;
};
/// Interval of the sum of factor * mean(values), of values that are independent. Absent when a term
/// has fewer than 3 values. Throws Error when one is not finite.
std::optional<Interval> sum_interval(const std::vector<Term>& terms, double confidence = 0.95);

/// Interval of mean(second) - mean(first). Absent when a side has fewer than 3 values. Throws Error
/// when one is not finite.
std::optional<Interval> difference_interval(std::span<const double> first,
                                            std::span<const double> second,
                                            double confidence = 0.95);

/// Interval of the ratio second / first of the typical process: difference_interval of the
/// logarithms, mapped back, and widened to hold `estimate` where a few skewed processes leave it
/// outside. Absent below 3 processes per side. Throws Error when a value is not positive and
/// finite.
std::optional<Interval> ratio_interval(std::span<const double> first,
                                       std::span<const double> second, double estimate,
                                       double confidence = 0.95);

}  // namespace ridgeline::stats
