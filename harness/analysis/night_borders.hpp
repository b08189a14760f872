#pragma once

#include <chrono>
#include <span>
#include <vector>

#include "harness/analysis/nightly_series.hpp"

/// Where one night ends and the next begins.
namespace ridgeline::analysis {

/// The nights that runs starting at `starts`, oldest first, make: their places. Which night a run
/// belongs to follows from it and the runs before it alone, and so does the date of a night from
/// its first run and those before: nights that were told stay as they were, whatever is added
/// later. Dates are in order, no two are the same, and each is a day (UTC) on which a part of its
/// night lies.
std::vector<Night> nights_of(std::span<const std::chrono::sys_seconds> starts);

}  // namespace ridgeline::analysis
