#include "harness/stats/proportion.hpp"

#include <boost/math/distributions/binomial.hpp>

#include "harness/base/error.hpp"

namespace ridgeline::stats {

Interval proportion_interval(std::int64_t successes, std::int64_t trials, double confidence) {
  if (!(confidence > 0 && confidence < 1))
    throw Error(ErrorKind::internal, "a confidence outside (0, 1) was asked for");
  if (trials < 1 || successes < 0 || successes > trials)
    throw Error(ErrorKind::internal, "an interval of the proportion " + std::to_string(successes) + " of " +
                                         std::to_string(trials) + " was asked for");
  using Binomial = boost::math::binomial_distribution<double>;
  const auto n = static_cast<double>(trials), k = static_cast<double>(successes);
  const double each = (1 - confidence) / 2;
  return {Binomial::find_lower_bound_on_p(n, k, each), Binomial::find_upper_bound_on_p(n, k, each)};
}

}  // namespace ridgeline::stats
