#pragma once

#include <span>
#include <vector>

#include "harness/analysis/told_subject.hpp"

/// What was told, recognised in what is found now.
namespace ridgeline::analysis {

/// How many values of its series the place of a change may move without it being another one.
inline constexpr std::size_t places_moved = 3;
/// How much larger it may become, of the logs. A drift may grow as it likes: it goes on.
inline constexpr double sizes_grown = 1.5;

/// Gives each of `subjects`, the findings of `trend`, what was told of it, the nearest first; each
/// is of one finding at most. Returns what none of them is, and none has grown from: that has been
/// told again. Throws a store Error for what no Ridgeline could have told.
std::vector<const record::Told*> recognise(std::span<const Subject> subjects,
                                           std::span<const record::Told> told,
                                           const DeviceTrend& trend);

}  // namespace ridgeline::analysis
