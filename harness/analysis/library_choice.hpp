#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "harness/analysis/summary.hpp"
#include "harness/stats/interval.hpp"

/// What a library's own choice costs, beside all that it can be told instead.
namespace ridgeline::analysis {

struct Regret {
  std::size_t fastest = 0;                  // of what it was told
  double ratio = 1;                         // time of its own choice over that of the fastest
  std::optional<stats::Interval> interval;  // absent below 3 processes per side

  /// Whether something that it can be told is faster, beyond noise.
  bool is_beyond_noise() const { return interval && interval->low > 1; }
};

/// Of cases of one problem. A case without a time does not take part; absent when the own choice
/// has none, or no other has. The fastest of several is the fastest partly by luck: the intervals
/// of all `told` over `own` hold together with 95% (Bonferroni).
std::optional<Regret> regret(const CaseSummary& own, std::span<const CaseSummary> told);

}  // namespace ridgeline::analysis
