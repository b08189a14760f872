#include "harness/stats/level_watch.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "harness/base/error.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::stats {
namespace {

constexpr double normal_quantile = 1.959963984540054;  // of 0.975
constexpr std::size_t week = 7;
constexpr std::size_t noise_values = 104 * week;  // two years: noise of long ago says nothing about
                                                  // tonight
constexpr std::size_t replayed = 70;  // nights: a point is younger than 60 when it is confirmed

std::size_t distance(std::size_t a, std::size_t b) { return a > b ? a - b : b - a; }

/// The standard error of a median is sqrt(pi / 2) times that of a mean, and wider in noise that
/// follows itself.
double median_error(const SeriesNoise& noise, std::size_t values) {
  return noise.sd *
         std::sqrt(std::numbers::pi / 2 * inflation(noise) / static_cast<double>(values));
}

std::optional<SeriesNoise> noise_of(std::span<const double> values, const WatchRules& rules,
                                    std::optional<SeriesNoise> known) {
  if (known && values.size() < rules.least_values) return known;
  const std::size_t whole = values.size() / week * week;
  if (whole < 2 * least_segment) return {};
  return estimate_noise(values.first(whole).last(std::min(whole, noise_values)));
}

struct Alarm {
  std::size_t at = 0, raised = 0;
};

/// Points that `running` analyses running had, of the last nights.
std::vector<Alarm> alarms(const LevelSearch& search, std::size_t count, std::size_t first_count,
                          const WatchRules& rules) {
  std::vector<Alarm> raised;
  std::vector<std::vector<std::size_t>> last(rules.running);  // points of the last analyses, by
                                                              // count
  for (std::size_t n = std::max(first_count, count - std::min(count, replayed)); n <= count; ++n) {
    std::vector<std::size_t>& now = last[n % rules.running];
    now.clear();
    if (search.last_point(n) + rules.oldest <= n) continue;
    for (const std::size_t point : search.points(n, rules.least_step))
      if (point + rules.oldest > n) now.push_back(point);
    for (const std::size_t point : now) {
      const bool stays = std::ranges::all_of(last, [&](const std::vector<std::size_t>& points) {
        return std::ranges::any_of(
            points, [&](std::size_t other) { return distance(point, other) <= rules.near; });
      });
      const bool known = std::ranges::any_of(
          raised, [&](const Alarm& alarm) { return distance(point, alarm.at) <= rules.apart; });
      if (stays && !known) raised.push_back({point, n});
    }
  }
  return raised;
}

/// Whether one step between two levels fits `values` better than a line does that leaves these
/// `residuals`.
bool is_rather_a_step(std::span<const double> values, std::span<const double> residuals) {
  const auto off = [](std::span<const double> of) {
    const double centre = median(of);
    double sum = 0;
    for (const double value : of) sum += std::abs(value - centre);
    return sum;
  };
  double line = 0;
  for (const double residual : residuals) line += residual;
  for (std::size_t at = least_segment; at + least_segment <= values.size(); ++at)
    if (off(values.first(at)) + off(values.subspan(at)) < line) return true;
  return false;
}

std::optional<Drift> drift_of(std::span<const double> values, const SeriesNoise& noise,
                              const WatchRules& rules) {
  const std::size_t n = rules.drift_values;
  if (values.size() < n) return {};
  const std::span<const double> window = values.last(n);
  const double slope = theil_sen_slope(window), total = slope * static_cast<double>(n);
  if (std::abs(total) < rules.least_step) return {};
  std::vector<double> level, residuals;
  for (std::size_t i = 0; i < n; ++i) level.push_back(window[i] - slope * static_cast<double>(i));
  const double centre = median(level);
  for (const double value : level) residuals.push_back(std::abs(value - centre));
  const double sd = std::max(1.4826 * median(residuals), noise.sd / 10);
  // Of a straight line through n values, times n.
  const double error = sd * std::sqrt(12 * inflation(noise) / static_cast<double>(n));
  if (std::abs(total) < rules.drift_significance * error) return {};
  if (theil_sen_slope(window.first(n / 2)) * slope <= 0 ||
      theil_sen_slope(window.last(n / 2)) * slope <= 0)
    return {};
  if (is_rather_a_step(window, residuals)) return {};
  return Drift{
      total, {total - normal_quantile * error, total + normal_quantile * error}, values.size()};
}

/// A drift that was there on the last nights running.
std::optional<Drift> steady_drift(std::span<const double> values, const SeriesNoise& noise,
                                  const WatchRules& rules) {
  std::optional<Drift> drift = drift_of(values, noise, rules);
  if (!drift) return {};
  std::size_t nights = 1;
  while (nights < replayed + rules.running && values.size() > nights) {
    const auto earlier = drift_of(values.first(values.size() - nights), noise, rules);
    if (!earlier || earlier->total * drift->total < 0) break;
    ++nights;
  }
  if (nights < rules.running) return {};
  drift->raised = values.size() - nights + rules.running;
  return drift;
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

Watched watch(std::span<const double> values, const WatchRules& rules,
              std::optional<SeriesNoise> known) {
  Watched watched;
  const std::optional<SeriesNoise> noise = noise_of(values, rules, known);
  if (!noise) return watched;
  watched.noise = *noise;
  const std::size_t count = values.size();
  const std::size_t first_count = known ? 0 : rules.least_values;
  const LevelSearch search(values, *noise);
  const std::vector<std::size_t> points = search.points(count, rules.least_step),
                                 all = search.points(count, 0);
  const std::vector<Alarm> raised = alarms(search, count, first_count, rules);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t begin = i == 0 ? 0 : points[i - 1],
                      end = i + 1 == points.size() ? count : points[i + 1];
    LevelChange change;
    change.at = points[i];
    const LevelSearch::Location location = search.location(
        all, static_cast<std::size_t>(std::ranges::lower_bound(all, change.at) - all.begin()),
        count);
    change.earliest = location.earliest;
    change.latest = location.latest;
    change.before = search.median_of(begin, change.at);
    change.after = search.median_of(change.at, end);
    const double step = change.after - change.before;
    const double error =
        std::hypot(median_error(*noise, change.at - begin), median_error(*noise, end - change.at));
    change.step = {step - normal_quantile * error, step + normal_quantile * error};
    const auto alarm = std::ranges::find_if(
        raised, [&](const Alarm& alarm) { return distance(alarm.at, change.at) <= rules.apart; });
    if (alarm != raised.end()) change.raised = alarm->raised;
    change.confirmed =
        alarm != raised.end() || (count >= first_count && change.at + rules.oldest <= count);
    watched.changes.push_back(change);
  }
  const bool stepped = std::ranges::any_of(watched.changes, [&](const LevelChange& change) {
    return change.confirmed && change.at + rules.drift_values > count;
  });
  if (!stepped && count >= first_count) watched.drift = steady_drift(values, *noise, rules);
  return watched;
}

}  // namespace ridgeline::stats
