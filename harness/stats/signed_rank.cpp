#include "harness/stats/signed_rank.hpp"

#include <algorithm>
#include <cmath>
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

// Scores of all pairs, nearest to theta first; those above theta are the second sample. `below` and
// `above` theta are both ascending. `compare(x, y)` orders x's distance below theta against y's
// above.
template <typename Compare>
Midranks score(std::span<const double> below, std::span<const double> above,
               const Compare& compare) {
  const std::size_t n = below.size() + above.size();
  const std::vector<double> nearest_first(below.rbegin(), below.rend());
  return midranks(nearest_first, above, compare,
                  static_cast<std::int64_t>(n + n % 2));  // 2 ceil(n / 2)
}

double p_up(const Midranks& scores) {
  return coin_sum_at_most(scores.doubled, scores.total - scores.second);
}
double p_down(const Midranks& scores) { return coin_sum_at_most(scores.doubled, scores.second); }

// The test as theta moves through the gaps between the Walsh means: gap k lies above k of the K
// distinct means, and nothing changes within a gap. As theta rises from gap to gap, pairs below it
// only gain score and pairs above it only lose, whatever is tied; so the balance of the sums and
// both p values are monotone, and can be searched by bisection. (For p_up: it is the probability
// that a random part of the scores below outweighs an independent random part of those above, which
// can only grow.)
class Gaps {
 public:
  explicit Gaps(std::span<const double> differences) : ascending_(sorted(differences)) {
    check_range(differences);
    means_.reserve(ascending_.size() * (ascending_.size() + 1) / 2);
    for (std::size_t i = 0; i < ascending_.size(); ++i)
      for (std::size_t j = i; j < ascending_.size(); ++j)
        means_.push_back(std::midpoint(ascending_[i], ascending_[j]));
    std::sort(means_.begin(), means_.end());
    means_.erase(std::unique(means_.begin(), means_.end()), means_.end());
  }

  std::size_t last() const { return means_.size(); }

  // The mean at the lower end of a gap; -unbounded below all.
  double low(std::size_t gap) const { return gap == 0 ? -unbounded : means_[gap - 1]; }
  double high(std::size_t gap) const { return gap == last() ? unbounded : means_[gap]; }

  // Compares with the means themselves and not with some theta between them, which rounding might
  // put onto one.
  Midranks scores(std::size_t gap) const {
    const double theta = low(gap);
    const auto split = std::upper_bound(ascending_.begin(), ascending_.end(), theta);
    return score({ascending_.begin(), split}, {split, ascending_.end()},
                 [theta](double below, double above) {
                   return std::midpoint(below, above) <= theta ? std::strong_ordering::greater
                                                               : std::strong_ordering::less;
                 });
  }

  // The first gap for which `holds`, which once true stays true; last() + 1 when it never is.
  template <typename Predicate>
  std::size_t first(const Predicate& holds) const {
    return first_that_holds(last() + 1, [&](std::size_t gap) { return holds(scores(gap)); });
  }

 private:
  std::vector<double> ascending_, means_;
};

}  // namespace

SignedRank signed_rank(std::span<const double> differences, double theta) {
  check_range({&theta, 1});
  struct Distance {
    double from_theta;
    bool above;
  };
  std::vector<Distance> distances;
  for (const double difference : differences) {
    if (std::isnan(difference))
      throw Error(ErrorKind::internal, "a rank test of a value that is no number was asked for");
    const double from_theta = std::abs(difference - theta);
    if (from_theta >= same_log_ratio) distances.push_back({from_theta, difference > theta});
  }
  std::ranges::sort(distances, {}, &Distance::from_theta);
  const auto n = static_cast<std::int64_t>(distances.size());
  Midranks scores;
  for (auto first = distances.begin(); first != distances.end();) {
    const auto last = std::find_if(first, distances.end(), [&](const Distance& each) {
      return each.from_theta - first->from_theta >= same_log_ratio;  // two infinite ones: NaN
    });
    const auto before = first - distances.begin(), tied = last - first;
    const auto each = std::min<std::int64_t>(2 * before + tied + 1, n + n % 2);
    scores.doubled.insert(scores.doubled.end(), static_cast<std::size_t>(tied), each);
    scores.second += each * std::count_if(first, last, [](const Distance& d) { return d.above; });
    scores.total += each * tied;
    first = last;
  }
  return {p_up(scores), p_down(scores)};
}

double signed_rank_estimate(std::span<const double> differences) {
  const Gaps gaps(differences);
  const auto balance = [](const Midranks& scores) { return 2 * scores.second - scores.total; };
  const std::size_t balanced =
      gaps.first([&](const Midranks& scores) { return balance(scores) <= 0; });
  const std::size_t over = gaps.first([&](const Midranks& scores) { return balance(scores) < 0; });
  return std::midpoint(gaps.low(balanced), gaps.low(over));
}

Interval signed_rank_interval(std::span<const double> differences, double confidence) {
  check_confidence(confidence);
  const Gaps gaps(differences);
  const double each = (1 - confidence) / 2;
  const std::size_t low = gaps.first([&](const Midranks& scores) { return p_up(scores) > each; });
  const std::size_t over =
      gaps.first([&](const Midranks& scores) { return !(p_down(scores) > each); });
  return {gaps.low(low), gaps.high(over - 1)};  // below all means nothing is rejected downwards:
                                                // over >= 1
}

}  // namespace ridgeline::stats
