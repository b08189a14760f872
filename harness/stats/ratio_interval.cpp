#include "harness/stats/ratio_interval.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/stats/distributions.hpp"

namespace ridgeline::stats {
namespace {

struct Moments {
  double mean = 0, variance_of_mean = 0, freedom = 0;
};

Moments moments(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  Moments found;
  for (const double value : values) {
    if (!std::isfinite(value))
      throw Error(ErrorKind::internal, "an interval of values that are not finite");
    found.mean += value / n;
  }
  double squares = 0;
  for (const double value : values) squares += (value - found.mean) * (value - found.mean);
  found.variance_of_mean = squares / (n - 1) / n;
  found.freedom = n - 1;
  return found;
}

std::vector<double> logarithms(std::span<const double> values) {
  std::vector<double> logs;
  for (const double value : values) {
    if (!(value > 0 && std::isfinite(value)))
      throw Error(ErrorKind::internal, "a ratio of times that are not positive and finite");
    logs.push_back(std::log(value));
  }
  return logs;
}

}  // namespace

std::optional<Interval> sum_interval(const std::vector<Term>& terms, double confidence) {
  check_confidence(confidence);
  double sum = 0, variance = 0;
  std::vector<Moments> all;
  for (const auto& [factor, values] : terms) {
    if (values.size() < 3) return std::nullopt;
    Moments of = moments(values);
    of.variance_of_mean *= factor * factor;
    sum += factor * of.mean;
    variance += of.variance_of_mean;
    all.push_back(of);
  }
  if (!(variance > 0)) return Interval{sum, sum};
  // Welch and Satterthwaite's degrees of freedom, by shares of the variance so that nothing
  // underflows.
  double inverse = 0;
  for (const Moments& of : all) {
    const double share = of.variance_of_mean / variance;
    inverse += share * share / of.freedom;
  }
  const double t = student_t_quantile((1 + confidence) / 2, 1 / inverse);
  return Interval{sum - t * std::sqrt(variance), sum + t * std::sqrt(variance)};
}

std::optional<Interval> difference_interval(std::span<const double> first,
                                            std::span<const double> second, double confidence) {
  return sum_interval({{-1, first}, {1, second}}, confidence);
}

std::optional<Interval> ratio_interval(std::span<const double> first,
                                       std::span<const double> second, double estimate,
                                       double confidence) {
  const auto logs = difference_interval(logarithms(first), logarithms(second), confidence);
  if (!logs) return std::nullopt;
  return Interval{std::min(std::exp(logs->low), estimate),
                  std::max(std::exp(logs->high), estimate)};
}

}  // namespace ridgeline::stats
