#pragma once

#include <optional>

#include "harness/analysis/nightly_series.hpp"

namespace ridgeline::analysis {

/// The noise of a series as a whole, for programs: what tells a change has yardsticks of its own
/// (stats/step_noise.hpp).
struct SeriesSpread {
  double spread = 0;  // standard deviation of one night, relative, by differences of neighbours
  double phi = 0;     // how much of a deviation the next night keeps: 0 to 1
};

/// Nothing for fewer than 8 nights.
std::optional<SeriesSpread> spread_of(const NightlyTimes& times);

}  // namespace ridgeline::analysis
