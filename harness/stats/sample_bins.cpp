#include "harness/stats/sample_bins.hpp"

#include <algorithm>
#include <cmath>

#include "harness/base/error.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::stats {
namespace {

constexpr double outside = 0.005;      // share of all samples beyond each end
constexpr double least_range = 1.001;  // high over low

BinnedSamples binned(const std::vector<double>& samples, double low, double high) {
  BinnedSamples group;
  group.count = samples.size();
  const double start = std::log(low), per_log = sample_bins / (std::log(high) - start);
  for (const double sample : samples) {
    if (sample < low) {
      ++group.below;
    } else if (sample > high) {
      ++group.above;
    } else {
      // Rounding may put one on an end beyond it.
      const double place = std::max(0.0, (std::log(sample) - start) * per_log);
      ++group.counts[std::min(static_cast<std::size_t>(place), sample_bins - 1)];
    }
  }
  group.p10 = quantile(samples, 0.1);
  group.p50 = quantile(samples, 0.5);
  group.p90 = quantile(samples, 0.9);
  return group;
}

}  // namespace

SharedBins in_shared_bins(std::span<const std::vector<double>> groups) {
  std::vector<double> all;
  for (const std::vector<double>& group : groups) {
    require(!group.empty(), "a group has samples");
    all.insert(all.end(), group.begin(), group.end());
  }
  require(std::ranges::all_of(all, [](double ns) { return ns > 0 && std::isfinite(ns); }),
          "samples are positive and finite");
  SharedBins bins{quantile(all, outside), quantile(all, 1 - outside), {}};
  if (bins.high < bins.low * least_range) {
    const double middle = bins.low + (bins.high - bins.low) / 2;
    bins.low = middle / std::sqrt(least_range);
    bins.high = middle * std::sqrt(least_range);
  }
  for (const std::vector<double>& group : groups)
    bins.groups.push_back(binned(group, bins.low, bins.high));
  return bins;
}

}  // namespace ridgeline::stats
