#pragma once

#include <limits>
#include <optional>
#include <span>

namespace ridgeline::stats {

struct Interval {
  double low = 0, high = 0;
};

/// The upper end of an interval that has none; the lower end is its negative.
inline constexpr double unbounded = std::numeric_limits<double>::infinity();

/// Distribution-free interval of the median from order statistics (binomial ranks; exact coverage
/// at least `confidence`). Absent when there are too few values for that confidence (fewer than 6
/// at 95%). It treats the values as independent, which samples of one process are not: use it to
/// stop sampling, never to print.
std::optional<Interval> median_interval(std::span<const double> values, double confidence = 0.95);

/// Half width of median_interval over the median; absent when that is, or when the median is not
/// positive.
std::optional<double> relative_half_width(std::span<const double> values, double confidence = 0.95);

/// Interval for the typical process: Student's t on the logarithms of process medians, mapped back.
/// This is the interval that is printed. Absent below 3 processes. Throws when a median is not
/// positive and finite.
std::optional<Interval> process_interval(std::span<const double> process_medians,
                                         double confidence = 0.95);

/// Half width of process_interval over the median of the process medians: the limit on the spread
/// between processes. Absent below 3 processes; throws as process_interval does.
std::optional<double> relative_process_half_width(std::span<const double> process_medians,
                                                  double confidence = 0.95);

}  // namespace ridgeline::stats
