#include "harness/stats/rank_sum.hpp"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <numeric>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/stats/distributions.hpp"
#include "harness/stats/exact.hpp"
#include "harness/stats/first_that_holds.hpp"
#include "harness/stats/median.hpp"
#include "harness/stats/midranks.hpp"

namespace ridgeline::stats {
namespace {

constexpr std::size_t most_values = 200;  // of one side: the exact distribution of more takes
                                          // seconds and gigabytes

// The sum of `chosen` ranks when every choice is equally likely. Kept between calls that rank
// alike, as all do that have no ties.
class Permutations {
 public:
  explicit Permutations(std::size_t chosen) : chosen_(chosen) {}

  // P(sum <= limit) in doubled ranks.
  double at_most(const std::vector<std::int64_t>& doubled, std::int64_t limit) {
    if (doubled != doubled_) count(doubled);
    const std::int64_t beyond = limit - least_;
    if (beyond < 0) return 0;
    const auto place = static_cast<std::size_t>(beyond / unit_);
    return place >= cumulative_.size() ? 1 : cumulative_[place] / cumulative_.back();
  }

 private:
  // Counts of choices by sum, for 0 up to chosen_ ranks. Sums are counted from the least one of as
  // many ranks, in steps of two halves where all midranks are whole.
  void count(const std::vector<std::int64_t>& doubled) {
    doubled_ = doubled;
    unit_ = std::ranges::any_of(doubled, [](std::int64_t each) { return each % 2 != 0; }) ? 1 : 2;
    least_ = std::accumulate(
        doubled.begin(), doubled.begin() + static_cast<std::ptrdiff_t>(chosen_), std::int64_t{0});
    const std::int64_t most = std::accumulate(doubled.end() - static_cast<std::ptrdiff_t>(chosen_),
                                              doubled.end(), std::int64_t{0});
    const auto width = static_cast<std::size_t>((most - least_) / unit_) + 1;
    std::vector<std::vector<double>> ways(chosen_ + 1, std::vector<double>(width, 0.0));
    ways[0][0] = 1;
    for (std::size_t seen = 0; seen < doubled.size(); ++seen) {
      // One more rank: taking it as the j-th costs what it is above the j-th smallest.
      for (std::size_t j = std::min(seen + 1, chosen_); j > 0; --j) {
        const auto step = static_cast<std::size_t>((doubled[seen] - doubled[j - 1]) / unit_);
        for (std::size_t sum = step; sum < width; ++sum) ways[j][sum] += ways[j - 1][sum - step];
      }
    }
    cumulative_ = std::move(ways[chosen_]);
    std::partial_sum(cumulative_.begin(), cumulative_.end(), cumulative_.begin());
  }

  std::size_t chosen_;
  std::vector<std::int64_t> doubled_;
  std::int64_t least_ = 0, unit_ = 2;
  std::vector<double> cumulative_;
};

class Samples {
 public:
  Samples(std::span<const double> first, std::span<const double> second)
      : first_(sorted(first)), second_(sorted(second)), permutations_(second.size()) {
    check_range(first);
    check_range(second);
    if (first.size() > most_values || second.size() > most_values)
      throw Error(ErrorKind::usage, "an exact rank-sum test takes at most " +
                                        std::to_string(most_values) + " values per side, and has " +
                                        std::to_string(std::max(first.size(), second.size())));
  }

  // y - theta against x.
  RankSum at(double theta) {
    return test([theta](double x, double y) { return 0 <=> compare_sum(y, -x, theta); });
  }

  // Just above `difference`, which is one of differences() or -unbounded.
  RankSum above(double difference) {
    return test([difference](double x, double y) {
      return y - x <= difference ? std::strong_ordering::greater : std::strong_ordering::less;
    });
  }

  std::vector<double> differences() const {
    std::vector<double> all;
    all.reserve(first_.size() * second_.size());
    for (const double x : first_)
      for (const double y : second_) all.push_back(y - x);
    return all;
  }

 private:
  template <typename Compare>
  RankSum test(const Compare& compare) {
    const Midranks ranks = midranks(first_, second_, compare);
    // The upper tail through the ranks counted from the other end.
    std::vector<std::int64_t> reversed;
    const auto both_ends = static_cast<std::int64_t>(2 * (ranks.doubled.size() + 1));
    for (auto each = ranks.doubled.rbegin(); each != ranks.doubled.rend(); ++each)
      reversed.push_back(both_ends - *each);
    const std::int64_t reversed_second =
        both_ends * static_cast<std::int64_t>(second_.size()) - ranks.second;
    return {permutations_.at_most(reversed, reversed_second),
            permutations_.at_most(ranks.doubled, ranks.second)};
  }

  std::vector<double> first_, second_;
  Permutations permutations_;
};

}  // namespace

RankSum rank_sum(std::span<const double> first, std::span<const double> second, double theta) {
  check_range({&theta, 1});
  return Samples(first, second).at(theta);
}

double rank_sum_estimate(std::span<const double> first, std::span<const double> second) {
  return median(Samples(first, second).differences());
}

Interval rank_sum_interval(std::span<const double> first, std::span<const double> second,
                           double confidence) {
  check_confidence(confidence);
  Samples samples(first, second);
  std::vector<double> ends = samples.differences();
  ends.insert(ends.end(), {-unbounded, unbounded});
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  // Gap k lies between ends[k] and ends[k + 1]. As theta rises from gap to gap, each crossing moves
  // values of the second sample below values of the first; whatever is tied, p up only grows and p
  // down only falls.
  const double each = (1 - confidence) / 2;
  const std::size_t gaps = ends.size() - 1;
  const std::size_t low =
      first_that_holds(gaps, [&](std::size_t k) { return samples.above(ends[k]).up > each; });
  const std::size_t over =
      first_that_holds(gaps, [&](std::size_t k) { return !(samples.above(ends[k]).down > each); });
  return {ends[low], ends[over]};
}

}  // namespace ridgeline::stats
