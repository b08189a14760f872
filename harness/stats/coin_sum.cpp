#include "harness/stats/coin_sum.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace ridgeline::stats {

double coin_sum_at_most(std::span<const std::int64_t> scores, std::int64_t limit) {
  const std::int64_t total = std::accumulate(scores.begin(), scores.end(), std::int64_t{0});
  if (limit >= total) return 1;
  if (limit < 0) return 0;
  // Heads and tails are alike, so that S is distributed like total - S: the shorter tail is computed.
  if (limit > total / 2) return 1 - coin_sum_at_most(scores, total - limit - 1);
  // Doubled midranks without ties are all even: half the work.
  const std::int64_t unit = std::accumulate(scores.begin(), scores.end(), total,
                                            [](std::int64_t a, std::int64_t b) { return std::gcd(a, b); });
  const auto last = static_cast<std::size_t>(limit / unit);
  std::vector<double> mass(last + 1), next(last + 1);
  mass[0] = 1;
  std::size_t reached = 0;
  for (const std::int64_t score : scores) {
    const auto step = static_cast<std::size_t>(score / unit);
    reached = std::min(last, reached + step);
    const std::size_t tails_only = std::min(step, reached + 1);
    for (std::size_t sum = 0; sum < tails_only; ++sum) next[sum] = mass[sum] / 2;
    for (std::size_t sum = step; sum <= reached; ++sum) next[sum] = (mass[sum] + mass[sum - step]) / 2;
    std::swap(mass, next);
  }
  return std::accumulate(mass.begin(), mass.end(), 0.0);
}

}  // namespace ridgeline::stats
