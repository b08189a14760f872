#include "harness/stats/proportion.hpp"

#include "harness/base/error.hpp"
#include "harness/stats/distributions.hpp"

namespace ridgeline::stats {

Interval proportion_interval(std::int64_t successes, std::int64_t trials, double confidence) {
  if (!(confidence > 0 && confidence < 1))
    throw Error(ErrorKind::internal, "a confidence outside (0, 1) was asked for");
  if (trials < 1 || successes < 0 || successes > trials)
    throw Error(ErrorKind::internal, "an interval of the proportion " + std::to_string(successes) + " of " +
                                         std::to_string(trials) + " was asked for");
  const auto n = static_cast<double>(trials), k = static_cast<double>(successes);
  const double each = (1 - confidence) / 2;
  return {binomial_lower_bound(n, k, each), binomial_upper_bound(n, k, each)};
}

}  // namespace ridgeline::stats
