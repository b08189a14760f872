#pragma once

#include <optional>
#include <vector>

#include "harness/analysis/summary.hpp"
#include "harness/stats/interval.hpp"

/// What ranks that share the layers of a transformer spend on exchanging data.
namespace ridgeline::analysis {

/// Collectives of each kind in the forward pass of a layer: one after the attention and one after
/// the feed-forward part; with sequence parallelism also one before each (Shoeybi et al.,
/// arXiv:1909.08053; Korthikanti et al., arXiv:2205.05198).
inline constexpr double collectives_per_layer = 2;

struct LayerTime {
  double ns = 0;                               // by medians
  std::optional<stats::Interval> interval_ns;  // of 95%; absent below 3 processes of a case
  bool is_good = true;                         // no case's result is one to doubt
};

/// Of `layers` layers whose exchange is made of `kinds`, which are measured independently. Absent
/// when one has no time.
std::optional<LayerTime> layer_time(const std::vector<const CaseSummary*>& kinds, double layers);

}  // namespace ridgeline::analysis
