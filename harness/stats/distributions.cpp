#include "harness/stats/distributions.hpp"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/hypergeometric.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

#include "harness/base/error.hpp"

namespace ridgeline::stats {

using Binomial = boost::math::binomial_distribution<double>;

void check_confidence(double confidence) {
  if (!(confidence > 0 && confidence < 1))
    throw Error(ErrorKind::internal, "a confidence outside (0, 1) was asked for");
}

double coin_cdf(double k, std::size_t n) {
  return k < 0 ? 0 : cdf(Binomial(static_cast<double>(n), 0.5), k);
}

std::size_t coin_quantile(double probability, std::size_t n) {
  return static_cast<std::size_t>(quantile(Binomial(static_cast<double>(n), 0.5), probability));
}

double coin_sum_at_most(std::span<const std::int64_t> scores, std::int64_t limit) {
  const std::int64_t total = std::accumulate(scores.begin(), scores.end(), std::int64_t{0});
  if (limit >= total) return 1;
  if (limit < 0) return 0;
  // Heads and tails are alike, so that S is distributed like total - S: the shorter tail is
  // computed.
  if (limit > total / 2) return 1 - coin_sum_at_most(scores, total - limit - 1);
  // Doubled midranks without ties are all even: half the work.
  const std::int64_t unit =
      std::accumulate(scores.begin(), scores.end(), total,
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
    for (std::size_t sum = step; sum <= reached; ++sum)
      next[sum] = (mass[sum] + mass[sum - step]) / 2;
    std::swap(mass, next);
  }
  return std::accumulate(mass.begin(), mass.end(), 0.0);
}

double student_t_quantile(double probability, double freedom) {
  return quantile(boost::math::students_t_distribution<double>(freedom), probability);
}

double normal_quantile_above(double probability) {
  return quantile(complement(boost::math::normal_distribution<double>(), probability));
}

double drawn_at_least(std::size_t k, std::size_t drawn, std::size_t of_kind, std::size_t all) {
  const boost::math::hypergeometric_distribution<double> found(of_kind, drawn, all);
  const auto [least, most] = support(found);
  if (k <= least) return 1;
  return k > most ? 0 : cdf(complement(found, k - 1));
}

Interval proportion_interval(std::int64_t successes, std::int64_t trials, double confidence) {
  check_confidence(confidence);
  if (trials < 1 || successes < 0 || successes > trials)
    throw Error(ErrorKind::internal, "an interval of the proportion " + std::to_string(successes) +
                                         " of " + std::to_string(trials) + " was asked for");
  const auto n = static_cast<double>(trials), k = static_cast<double>(successes);
  const double each = (1 - confidence) / 2;
  return {Binomial::find_lower_bound_on_p(n, k, each), Binomial::find_upper_bound_on_p(n, k, each)};
}

}  // namespace ridgeline::stats
