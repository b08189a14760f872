#pragma once

#include <span>

namespace ridgeline::analysis {

/// A sample is slow when it took so many times as long as the median of both sides' samples.
inline constexpr double slow_sample = 1.5;

/// What the samples of a pair's two processes say beside their medians.
struct PairShape {
  double mean = 0, ninetieth = 0;  // log ratios of means and of 90th percentiles
  double baseline_quartile = 0, candidate_quartile = 0;  // logarithms of the lower quartiles, in ns
  double baseline_slow = 0, candidate_slow = 0;          // shares of slow samples
  int samples = 0;  // of the process that has fewer; 0: not known
};

/// Samples in ns, of one process each. Throws Error when a side has none, or one is not positive
/// and finite.
PairShape shape_of(std::span<const double> baseline_ns, std::span<const double> candidate_ns);

/// Which side of a round was disturbed.
enum class Disturbed { neither, baseline, candidate, both };

/// The two processes of one round.
struct PairedTimes {
  double baseline_ns = 0, candidate_ns = 0;  // medians
  int round = 0;                             // 0-based
  Disturbed disturbed = Disturbed::neither;  // then its medians do not count
  PairShape shape = {};
};

}  // namespace ridgeline::analysis
