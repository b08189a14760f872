#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/stats/interval.hpp"

/// How fast pairs of GPUs of one host exchange data, and which pair is slower than the others.
namespace ridgeline::analysis {

/// What one pair was measured to do, from the side of `gpu`.
struct PeerPair {
  std::string gpu = {}, peer = {};      // ids
  double bytes = 0;                     // of one copy, both ways together
  std::vector<double> medians_ns = {};  // of the processes that count, by replicate
  bool is_unstable = false;             // as its case
  std::optional<double> roof = {};      // B/s that the links between them carry

  // What compare_pairs() adds.
  double rate = 0;                               // B/s: bytes over the median of the medians
  double ratio = 1;                              // its times over those of the other pairs
  std::optional<stats::Interval> interval = {};  // of the ratio

  std::optional<double> share_of_roof() const;
  bool is_slower() const { return interval && interval->low > 1; }
};

/// Fills in what each of the pairs comes to beside the others, which have made the same copy.
/// Processes count as they do for siblings (compare_siblings), as many of each pair as the pair
/// with the fewest has; no pair has an interval where that is one, or where there is one pair.
/// `compared`: how many pairs are compared in all, over which the 5% of being wrong are shared.
void compare_pairs(std::vector<PeerPair>& pairs, std::size_t compared);

/// The slowest pair of those that are slower than the others beyond noise; null without one.
const PeerPair* slowest(const std::vector<PeerPair>& pairs);

}  // namespace ridgeline::analysis
