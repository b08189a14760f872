#include "harness/stats/interval.hpp"

#include <cmath>

#include "harness/base/error.hpp"
#include "harness/stats/distributions.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::stats {
namespace {

// How many values may lie outside the interval on each side: the most k with
// P(B <= k - 1) <= (1 - confidence) / 2 for B ~ Binomial(n, 1/2), the number of values below the
// true median. 0 when even the whole range is too narrow.
std::size_t outside_each_side(std::size_t n, double confidence) {
  const double tail = (1 - confidence) / 2;
  const auto fits = [&](std::size_t k) { return coin_cdf(static_cast<double>(k) - 1, n) <= tail; };
  std::size_t k = coin_quantile(tail, n);
  while (k > 0 && !fits(k)) --k;
  while (2 * (k + 1) <= n && fits(k + 1)) ++k;
  return k;
}

std::optional<Interval> interval_of_sorted(std::span<const double> ascending, double confidence) {
  const std::size_t k = outside_each_side(ascending.size(), confidence);
  if (k == 0) return std::nullopt;
  return Interval{ascending[k - 1], ascending[ascending.size() - k]};
}

}  // namespace

std::optional<Interval> median_interval(std::span<const double> values, double confidence) {
  check_confidence(confidence);
  return interval_of_sorted(sorted(values), confidence);
}

std::optional<double> relative_half_width(std::span<const double> values, double confidence) {
  check_confidence(confidence);
  const std::vector<double> ascending = sorted(values);
  const double middle = median_of_sorted(ascending);
  const std::optional<Interval> interval = interval_of_sorted(ascending, confidence);
  if (!interval || !(middle > 0)) return std::nullopt;
  return (interval->high - interval->low) / 2 / middle;
}

std::optional<Interval> process_interval(std::span<const double> process_medians,
                                         double confidence) {
  check_confidence(confidence);
  const auto n = static_cast<double>(process_medians.size());
  double sum = 0;
  for (const double value : process_medians) {
    if (!(value > 0 && std::isfinite(value)))
      throw Error(ErrorKind::internal,
                  "an interval over process medians needs positive, finite medians");
    sum += std::log(value);
  }
  if (process_medians.size() < 3) return std::nullopt;
  const double mean = sum / n;
  double squares = 0;
  for (const double value : process_medians)
    squares += (std::log(value) - mean) * (std::log(value) - mean);
  const double standard_error = std::sqrt(squares / (n - 1) / n);
  const double t = student_t_quantile((1 + confidence) / 2, n - 1);
  return Interval{std::exp(mean - t * standard_error), std::exp(mean + t * standard_error)};
}

std::optional<double> relative_process_half_width(std::span<const double> process_medians,
                                                  double confidence) {
  const std::optional<Interval> interval = process_interval(process_medians, confidence);
  if (!interval) return std::nullopt;
  return (interval->high - interval->low) / 2 / median(process_medians);
}

}  // namespace ridgeline::stats
