#include "harness/analysis/layer_time.hpp"

#include <algorithm>

#include "harness/stats/ratio_interval.hpp"

namespace ridgeline::analysis {

std::optional<LayerTime> layer_time(const std::vector<const CaseSummary*>& kinds, double layers) {
  const double factor = layers * collectives_per_layer;
  LayerTime found;
  std::vector<stats::Term> terms;
  for (const CaseSummary* kind : kinds) {
    if (!kind->median_ns) return std::nullopt;
    found.ns += factor * *kind->median_ns;
    found.is_good = found.is_good && kind->outcome == record::Outcome::ok;
    terms.push_back({factor, kind->medians_ns});
  }
  found.interval_ns = stats::sum_interval(terms);
  // It is of means, and what is told is of medians.
  if (auto& interval = found.interval_ns)
    *interval = {std::min(interval->low, found.ns), std::max(interval->high, found.ns)};
  return found;
}

}  // namespace ridgeline::analysis
