#include "harness/analysis/hidden_share.hpp"

#include <utility>

#include "harness/stats/ratio_interval.hpp"

namespace ridgeline::analysis {

std::optional<Estimate> slow_down(const CaseSummary& alone, const CaseSummary& beside) {
  if (!alone.median_ns || !beside.median_ns) return std::nullopt;
  const double ratio = *beside.median_ns / *alone.median_ns;
  return Estimate{ratio, stats::ratio_interval(alone.medians_ns, beside.medians_ns, ratio)};
}

std::optional<Estimate> hidden_share(const CaseSummary& work, const CaseSummary& collective,
                                     const CaseSummary& both) {
  if (!work.median_ns || !collective.median_ns || !both.median_ns) return std::nullopt;
  const auto [shorter, longer] = *work.median_ns < *collective.median_ns
                                     ? std::pair(&work, &collective)
                                     : std::pair(&collective, &work);
  // 1 + excess, with excess = (longer - both) / shorter, whose slopes are the factors below.
  const double s = *shorter->median_ns, excess = (*longer->median_ns - *both.median_ns) / s;
  Estimate found{1 + excess, std::nullopt};
  const auto linear = stats::sum_interval(
      {{1 / s, longer->medians_ns}, {-1 / s, both.medians_ns}, {-excess / s, shorter->medians_ns}});
  if (linear) {
    const double half = (linear->high - linear->low) / 2;
    found.interval = stats::Interval{found.value - half, found.value + half};
  }
  return found;
}

}  // namespace ridgeline::analysis
