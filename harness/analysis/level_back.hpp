#pragma once

#include <cstddef>
#include <optional>

#include "harness/analysis/nightly_series.hpp"

/// Whether the level before a change is back.
namespace ridgeline::analysis {

/// Whether `level` is back at `before`, from which it had gone to `ratio` times as much: within a
/// third of that change or the smallest one that counts, or beyond it.
bool is_back(double level, double before, double ratio, double least_step);

/// Median of the fortnight before night `earliest`; absent where nothing is known of it.
std::optional<double> fortnight_before(const NightlyTimes& times, std::size_t earliest);

/// The first night on which the median of a fortnight is back at the level `before` a change, all
/// of it behind night `behind`: for what no single night brings back, or no night that is looked
/// at. The change made `ratio` times as long. Absent too where the level is not known.
std::optional<std::size_t> fortnight_back(const NightlyTimes& times,
                                          const std::optional<double>& before, std::size_t behind,
                                          double ratio, double least_step);

/// The first night behind `night`, on which a metric changed, with its value before that or one
/// beyond: counts are exact. Absent where `count` has no value on `night`, or none before it.
std::optional<std::size_t> count_back(const NightlyCount& count, std::size_t night);

}  // namespace ridgeline::analysis
