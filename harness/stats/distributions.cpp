#include "harness/stats/distributions.hpp"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>

namespace ridgeline::stats {

using Binomial = boost::math::binomial_distribution<double>;

double coin_cdf(double k, std::size_t n) { return k < 0 ? 0 : cdf(Binomial(static_cast<double>(n), 0.5), k); }

std::size_t coin_quantile(double probability, std::size_t n) {
  return static_cast<std::size_t>(quantile(Binomial(static_cast<double>(n), 0.5), probability));
}

double student_t_quantile(double probability, double freedom) {
  return quantile(boost::math::students_t_distribution<double>(freedom), probability);
}

double normal_quantile_above(double probability) {
  return quantile(complement(boost::math::normal_distribution<double>(), probability));
}

double binomial_lower_bound(double trials, double successes, double tail) {
  return Binomial::find_lower_bound_on_p(trials, successes, tail);
}

double binomial_upper_bound(double trials, double successes, double tail) {
  return Binomial::find_upper_bound_on_p(trials, successes, tail);
}

}  // namespace ridgeline::stats
