#pragma once

#include <cstddef>
#include <span>

#include "harness/stats/interval.hpp"
#include "harness/stats/step_noise.hpp"

/// Where a step is, and how large.
namespace ridgeline::stats {

/// The first night of a new level, and the nights on which it may as well begin.
struct StepPlace {
  std::size_t at = 0, earliest = 0, latest = 0;
};

/// The night near `guess` at which two levels fit the nights from `begin` to before `end` best, by
/// the sum of squared deviations of what `noise` does not carry over, each at most 9. All whose
/// cost is little higher are where it may be.
StepPlace place_step(std::span<const double> values, std::size_t begin, std::size_t guess,
                     std::size_t end, const StepNoise& noise);

/// The levels on both sides of a step, and the step between them.
struct StepSize {
  double before = 0, after = 0;
  Interval step;  // 95%, of after - before
};

/// Of the step at `at` in the nights from `begin` to before `end`, by those looks() that vary least
/// in such noise. Throws Error unless begin < at < end.
StepSize size_step(std::span<const double> values, std::size_t begin, std::size_t at,
                   std::size_t end, const StepNoise& noise);

}  // namespace ridgeline::stats
