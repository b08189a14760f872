#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ridgeline::stats {

inline constexpr std::size_t sample_bins = 48;

/// One group of samples: how many lie in each bin, and in none because they are too small or large.
struct BinnedSamples {
  std::size_t count = 0, below = 0, above = 0;  // of all samples
  std::array<std::uint32_t, sample_bins> counts{};
  double p10 = 0, p50 = 0, p90 = 0;  // quantiles
};

/// The bins of several groups: of equal width in the logarithm, from `low` to `high`.
struct SharedBins {
  double low = 0, high = 0;
  std::vector<BinnedSamples> groups;
};

/// Bins from the 0.5% to the 99.5% quantile of all samples, and at least 0.1% apart, so that a few
/// slow samples do not squeeze all others into one bin. Throws when a group is empty or a sample is
/// not positive and finite.
SharedBins in_shared_bins(std::span<const std::vector<double>> groups);

}  // namespace ridgeline::stats
