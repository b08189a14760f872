#pragma once

#include <cstdint>
#include <span>

namespace ridgeline::stats {

/// P(S <= limit) where S sums those of `scores`, all positive, whose fair coins fall heads: what a signed-rank
/// statistic follows when nothing but chance decides on which side of the centre a value lies. Exact by dynamic
/// programming, up to rounding from 54 scores on.
double coin_sum_at_most(std::span<const std::int64_t> scores, std::int64_t limit);

}  // namespace ridgeline::stats
