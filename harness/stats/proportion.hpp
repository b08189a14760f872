#pragma once

#include <cstdint>

#include "harness/stats/interval.hpp"

namespace ridgeline::stats {

/// Clopper and Pearson's exact interval of a proportion: `successes` of `trials`. Throws Error unless 0 <= successes <=
/// trials and trials >= 1.
Interval proportion_interval(std::int64_t successes, std::int64_t trials, double confidence = 0.95);

}  // namespace ridgeline::stats
