#include "harness/analysis/library_choice.hpp"

#include "harness/stats/ratio_interval.hpp"

namespace ridgeline::analysis {

std::optional<Regret> regret(const CaseSummary& own, std::span<const CaseSummary> told) {
  if (!own.median_ns) return std::nullopt;
  std::optional<std::size_t> fastest;
  int timed = 0;
  for (std::size_t i = 0; i < told.size(); ++i) {
    if (!told[i].median_ns) continue;
    ++timed;
    if (!fastest || *told[i].median_ns < *told[*fastest].median_ns) fastest = i;
  }
  if (!fastest) return std::nullopt;
  const CaseSummary& best = told[*fastest];
  const double ratio = *own.median_ns / *best.median_ns;
  return Regret{*fastest, ratio,
                stats::ratio_interval(best.medians_ns, own.medians_ns, ratio, 1 - 0.05 / timed)};
}

}  // namespace ridgeline::analysis
