#include "harness/stats/drift_watch.hpp"

#include <algorithm>
#include <cmath>

#include "harness/base/error.hpp"
#include "harness/stats/median.hpp"
#include "harness/stats/series_noise.hpp"
#include "harness/stats/step_slope.hpp"

namespace ridgeline::stats {
namespace {

constexpr double significance = 4.5;  // standard errors
constexpr auto span_nights = static_cast<double>(drift_nights);

/// How many times wider than that of independent nights the spread of a mean is.
double inflation(const StepNoise& noise) {
  const double phi = std::min(noise.phi, .98);
  return std::sqrt((1 + phi) / (1 - phi));
}

/// Standard error of a straight line through the nights, over all of them.
double line_error(double sd, const StepNoise& noise) {
  return sd * inflation(noise) * std::sqrt(12 / span_nights);
}

/// Whether the last `length` nights are as far from the first ones, of the last `span`, as none
/// were by what was known before. In a random walk, means are 1.6 times as far apart with as many
/// nights between them as neighbouring ones.
bool is_unlike_before(const StepWatch& watch, std::size_t span, std::size_t length,
                      double deviations, double least_step) {
  constexpr double gap = 1.6;
  return watch.has_moved(span, length, gap * deviations, least_step / 2);
}

/// How far the first i + 1 of `values` are from their median together, by i.
std::vector<double> deviations_of_first(std::span<const double> values) {
  std::vector<double> ascending, found;
  for (std::size_t n = 1; n <= values.size(); ++n) {
    const double last = values[n - 1];
    ascending.insert(std::ranges::upper_bound(ascending, last), last);
    const double centre = median_of_sorted(ascending);
    double sum = 0;
    for (const double value : values.first(n)) sum += std::abs(value - centre);
    found.push_back(sum);
  }
  return found;
}

/// Whether one step between two levels fits `values` better than a line does that leaves these
/// `residuals`.
bool is_rather_a_step(std::span<const double> values, std::span<const double> residuals) {
  constexpr std::size_t shortest = 3;
  double line = 0;
  for (const double residual : residuals) line += residual;
  const std::vector<double> backwards(values.rbegin(), values.rend());
  const std::vector<double> before = deviations_of_first(values),
                            after = deviations_of_first(backwards);
  for (std::size_t at = shortest; at + shortest <= values.size(); ++at)
    if (before[at - 1] + after[values.size() - at - 1] < line) return true;
  return false;
}

}  // namespace

double theil_sen_slope(std::span<const double> values) {
  require(values.size() >= 2, "a slope is that of two values or more");
  std::vector<double> slopes;
  slopes.reserve(values.size() * (values.size() - 1) / 2);
  for (std::size_t j = 1; j < values.size(); ++j)
    for (std::size_t i = 0; i < j; ++i)
      slopes.push_back((values[j] - values[i]) / static_cast<double>(j - i));
  return median(slopes);
}

std::optional<Drift> steep_drift(const StepWatch& watch, double least_step) {
  constexpr std::size_t before = 30, shortest = 7;
  const std::span<const double> values = watch.values();
  if (values.size() < watch.steady_from() + steep_nights + before ||
      !is_unlike_before(watch, steep_nights, 14, 6, least_step))
    return {};
  const std::size_t begin = values.size() - steep_nights;
  const auto slope = slope_of(values.subspan(begin), shortest);
  if (!slope || std::abs(slope->a_night) * (steep_nights - slope->begin) < least_step) return {};
  const std::size_t from = begin + slope->begin;
  if (from == 0) return {};
  const StepSize size = watch.size_between(from, values.size());
  return Drift{from, size.after - size.before, size.step};
}

std::optional<Drift> slow_drift(std::span<const double> values, const StepNoise& noise,
                                double least_step) {
  constexpr double normal_quantile = 1.959963984540054;  // of 0.975
  require(values.size() == drift_nights, "a drift is one of so many nights");
  const double slope = theil_sen_slope(values), total = slope * span_nights;
  if (std::abs(total) < least_step) return {};
  std::vector<double> level, residuals;
  for (std::size_t i = 0; i < values.size(); ++i)
    level.push_back(values[i] - slope * static_cast<double>(i));
  const double centre = median(level);
  for (const double value : level) residuals.push_back(std::abs(value - centre));
  const double error = line_error(std::max(1.4826 * median(residuals), noise.sd / 10), noise);
  if (std::abs(total) < significance * error) return {};
  if (theil_sen_slope(values.first(drift_nights / 2)) * slope <= 0 ||
      theil_sen_slope(values.last(drift_nights / 2)) * slope <= 0)
    return {};
  if (is_rather_a_step(values, residuals)) return {};
  return Drift{0, total, {total - normal_quantile * error, total + normal_quantile * error}};
}

bool DriftWatch::add(const StepWatch& watch, double least_step) {
  constexpr std::size_t steady = 3;
  const std::span<const double> values = watch.values();
  nights_ = values.size();
  std::optional<Drift> now = steep_drift(watch, least_step);
  // A step among its nights is told as a step.
  if (!now && nights_ >= watch.steady_from() + drift_nights &&
      is_unlike_before(watch, drift_nights, 28, 4.5, least_step)) {
    now = slow_drift(values.last(drift_nights), watch.noise().value(), least_step);
    if (now) now->begin = nights_ - drift_nights;
  }
  if (!now)
    running_ = 0;
  else
    running_ = last_ && last_->total * now->total > 0 ? running_ + 1 : 1;
  last_ = now;
  if (running_ < steady) return false;
  // One drift, while it comes and goes within the nights that it is looked for in, until all of
  // these lie behind the night that told it.
  const bool goes_on = !told_.empty() && told_.back().drift.total * now->total > 0 &&
                       nights_ <= told_.back().until + drift_nights &&
                       now->begin < told_.back().told;
  if (!goes_on) told_.push_back({{}, now->begin, nights_, 0});
  told_.back().drift = *now;
  told_.back().until = nights_;
  return !goes_on;
}

std::optional<DriftWatch::Told> DriftWatch::tonight() const {
  if (told_.empty() || told_.back().until != nights_) return {};
  return told_.back();
}

}  // namespace ridgeline::stats
