#pragma once

#include <cstddef>
#include <vector>

#include "harness/stats/drift_watch.hpp"
#include "harness/stats/step_watch.hpp"

/// What came little by little in a series, as it was told.
namespace ridgeline::stats {

struct ToldDrift {
  std::size_t begin = 0, end = 0;  // values: since when, and before which it was seen last
  std::size_t told = 0;            // how many nights there were
  std::size_t known_begin = 0;     // since when, as it was known then
  double size = 0;                 // from before it to its end, in logs
  Interval range;                  // 95%
};

/// Slopes that `steps` tell from `begin` on, from its step `first` on, and drifts: by their begin.
/// Slopes that share nights and a direction are one, and so is a drift that does so with a slope;
/// but not across a step that was told between them.
std::vector<ToldDrift> told_drifts(const StepWatch& steps, const DriftWatch& drifts,
                                   std::size_t begin, std::size_t first);

}  // namespace ridgeline::stats
