#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/present/case_histories.hpp"
#include "harness/stats/sample_bins.hpp"

namespace ridgeline::present {

/// How the samples of a case are spread in its newest runs that still have some. All bins are the
/// same, so that runs can be compared.
struct CaseSamples {
  std::vector<std::uint32_t> runs;  // places in DeviceHistory::runs, oldest first; may be empty
  stats::SharedBins bins;           // with a group for each of them
};

inline constexpr std::size_t most_sampled_runs = 10;

/// Of each of the device's cases, in their order. Samples are those of the processes whose medians
/// count. Throws a store Error when they cannot be read.
std::vector<CaseSamples> case_samples(const DeviceHistory& history);

}  // namespace ridgeline::present
