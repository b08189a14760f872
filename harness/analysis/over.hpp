#pragma once

#include <span>
#include <vector>

#include "harness/analysis/told_subject.hpp"

/// What is over of that which was told.
namespace ridgeline::analysis {

/// Sets since when each of `subjects` is undone: the level before it is back. `least_step` is the
/// usual one of the device, so that jobs of other steps are of one mind.
void find_undone(std::span<const Subject> subjects, double least_step);

/// Adds to `trend` what became of the rows of `lost`, which none of its findings is.
void find_gone(DeviceTrend& trend, std::span<const record::Told* const> lost,
               const TrendRules& rules, double least_step);

}  // namespace ridgeline::analysis
