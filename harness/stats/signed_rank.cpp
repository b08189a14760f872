#include "harness/stats/signed_rank.hpp"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <limits>
#include <numeric>
#include <ranges>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/stats/coin_sum.hpp"
#include "harness/stats/exact.hpp"
#include "harness/stats/sorted.hpp"

namespace ridgeline::stats {
namespace {

// Scores of all pairs, nearest to theta first. Doubled, because midranks may be halves.
struct Scores {
  std::vector<std::int64_t> doubled;
  std::int64_t above = 0;  // sum over the pairs above theta
  std::int64_t total = 0;
};

// `below` and `above` theta, both ascending. `compare(i, j)` orders i's distance below theta against j's above.
template <typename Compare>
Scores score(std::span<const double> below, std::span<const double> above, const Compare& compare) {
  const std::size_t n = below.size() + above.size();
  const auto cap = static_cast<std::int64_t>(n + n % 2);  // 2 * ceil(n / 2)
  Scores scores;
  scores.doubled.reserve(n);
  std::size_t i = below.size(), j = 0;  // below[i - 1] and above[j] are next
  while (scores.doubled.size() < n) {
    const auto order = i == 0              ? std::strong_ordering::greater
                       : j == above.size() ? std::strong_ordering::less
                                           : compare(below[i - 1], above[j]);
    // All pairs at the next distance, from either side.
    std::size_t tied_below = 0, tied_above = 0;
    if (order <= 0)
      while (tied_below < i && below[i - 1 - tied_below] == below[i - 1]) ++tied_below;
    if (order >= 0)
      while (j + tied_above < above.size() && above[j + tied_above] == above[j]) ++tied_above;
    const std::size_t tied = tied_below + tied_above;
    const auto midrank = static_cast<std::int64_t>(2 * scores.doubled.size() + tied + 1);
    const std::int64_t each = std::min(midrank, cap);
    scores.doubled.insert(scores.doubled.end(), tied, each);
    scores.above += each * static_cast<std::int64_t>(tied_above);
    scores.total += each * static_cast<std::int64_t>(tied);
    i -= tied_below;
    j += tied_above;
  }
  return scores;
}

double p_up(const Scores& scores) { return coin_sum_at_most(scores.doubled, scores.total - scores.above); }
double p_down(const Scores& scores) { return coin_sum_at_most(scores.doubled, scores.above); }

// The test as theta moves through the gaps between the Walsh means: gap k lies above k of the K distinct means, and
// nothing changes within a gap. As theta rises from gap to gap, pairs below it only gain score and pairs above it only
// lose, whatever is tied; so the balance of the sums and both p values are monotone, and can be searched by bisection.
// (For p_up: it is the probability that a random part of the scores below outweighs an independent random part of those
// above, which can only grow.)
class Gaps {
 public:
  explicit Gaps(std::span<const double> differences) : ascending_(sorted(differences)) {
    check_range(differences);
    means_.reserve(ascending_.size() * (ascending_.size() + 1) / 2);
    for (std::size_t i = 0; i < ascending_.size(); ++i)
      for (std::size_t j = i; j < ascending_.size(); ++j) means_.push_back(std::midpoint(ascending_[i], ascending_[j]));
    std::sort(means_.begin(), means_.end());
    means_.erase(std::unique(means_.begin(), means_.end()), means_.end());
  }

  std::size_t last() const { return means_.size(); }

  // The mean at the lower end of a gap; -unbounded below all.
  double low(std::size_t gap) const { return gap == 0 ? -unbounded : means_[gap - 1]; }
  double high(std::size_t gap) const { return gap == last() ? unbounded : means_[gap]; }

  // Compares with the means themselves and not with some theta between them, which rounding might put onto one.
  Scores scores(std::size_t gap) const {
    const double theta = low(gap);
    const auto split = std::upper_bound(ascending_.begin(), ascending_.end(), theta);
    return score({ascending_.begin(), split}, {split, ascending_.end()}, [theta](double below, double above) {
      return std::midpoint(below, above) <= theta ? std::strong_ordering::greater : std::strong_ordering::less;
    });
  }

  // The first gap for which `holds`, which once true stays true; last() + 1 when it never is.
  template <typename Predicate>
  std::size_t first(const Predicate& holds) const {
    const auto gaps = std::views::iota(std::size_t{0}, last() + 1);
    const auto found = std::ranges::partition_point(gaps, [&](std::size_t gap) { return !holds(scores(gap)); });
    return static_cast<std::size_t>(found - gaps.begin());
  }

 private:
  std::vector<double> ascending_, means_;
};

}  // namespace

SignedRank signed_rank(std::span<const double> differences, double theta) {
  check_range(differences);
  check_range({&theta, 1});
  std::vector<double> ascending(differences.begin(), differences.end());
  std::sort(ascending.begin(), ascending.end());
  const auto [equal_begin, equal_end] = std::equal_range(ascending.begin(), ascending.end(), theta);
  // theta - below against above - theta.
  const auto compare = [theta](double below, double above) { return 0 <=> compare_sum(below, above, 2 * theta); };
  const Scores scores = score({ascending.begin(), equal_begin}, {equal_end, ascending.end()}, compare);
  return {p_up(scores), p_down(scores)};
}

double signed_rank_estimate(std::span<const double> differences) {
  const Gaps gaps(differences);
  const auto balance = [](const Scores& scores) { return 2 * scores.above - scores.total; };
  const std::size_t balanced = gaps.first([&](const Scores& scores) { return balance(scores) <= 0; });
  const std::size_t over = gaps.first([&](const Scores& scores) { return balance(scores) < 0; });
  return std::midpoint(gaps.low(balanced), gaps.low(over));
}

Interval signed_rank_interval(std::span<const double> differences, double confidence) {
  if (!(confidence > 0 && confidence < 1))
    throw Error(ErrorKind::internal, "a confidence outside (0, 1) was asked for");
  const Gaps gaps(differences);
  const double each = (1 - confidence) / 2;
  const std::size_t low = gaps.first([&](const Scores& scores) { return p_up(scores) > each; });
  const std::size_t over = gaps.first([&](const Scores& scores) { return !(p_down(scores) > each); });
  return {gaps.low(low), gaps.high(over - 1)};  // below all means nothing is rejected downwards: over >= 1
}

}  // namespace ridgeline::stats
