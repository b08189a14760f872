#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "harness/analysis/trend.hpp"
#include "harness/stats/drift_watch.hpp"
#include "harness/stats/step_watch.hpp"
#include "harness/stats/told_drifts.hpp"

namespace ridgeline::analysis {
namespace {

/// A series that is watched, one comparable environment of a case. It begins with the nights of the
/// environment before it, from which its noise is known.
struct WatchedSeries {
  stats::StepWatch steps;
  stats::DriftWatch drift;
  std::vector<std::uint32_t> nights;  // of each value
  std::size_t begin = 0;              // the first value of its own
  std::size_t first_step = 0;         // likewise, of its steps

  void add(std::uint32_t night, double ns, double tick, double least_step) {
    nights.push_back(night);
    steps.set_tick(tick);
    steps.add(std::log(ns));
    drift.add(steps, least_step);
  }
  std::size_t own_nights() const { return nights.size() - begin; }
};

/// What the clock lets the time of one of the nights jump by, in logs; 0 where it is not known.
double tick_of(const NightlyTimes& times, std::size_t which, double tick_ns) {
  if (times.executions.empty()) return 0;
  const double sample_ns = times.median_ns[which] * static_cast<double>(times.executions[which]);
  return std::log1p(tick_ns / sample_ns);
}

/// The series of all environments of a case, in the order of NightlyCase::times. Nights are watched
/// in their order, so that each environment begins with what was known on its first night.
std::vector<WatchedSeries> watch_all(const NightlyCase& one, double least_step, double tick_ns) {
  std::vector<std::pair<std::uint32_t, std::size_t>> order;  // nights, and whose they are
  for (std::size_t i = 0; i < one.times.size(); ++i)
    for (const std::uint32_t night : one.times[i].nights) order.emplace_back(night, i);
  std::ranges::sort(order);
  std::vector<WatchedSeries> series(one.times.size());
  std::vector<std::size_t> taken(one.times.size(), 0);  // nights of each so far
  for (std::size_t k = 0; k < order.size(); ++k) {
    const auto [night, i] = order[k];
    const NightlyTimes& times = one.times[i];
    if (taken[i] == 0 && k > 0) {
      series[i] = series[order[k - 1].second];
      series[i].begin = series[i].nights.size();
      series[i].first_step = series[i].steps.steps().size();
      series[i].steps.boundary();
      series[i].drift = {};
    } else if (taken[i] == 0) {
      series[i].steps = stats::StepWatch({.least_step = least_step});
    }
    const std::size_t which = taken[i]++;
    series[i].add(night, times.median_ns[which], tick_of(times, which, tick_ns), least_step);
  }
  return series;
}

/// Whether a step ends a level of few nights, of which nothing is left: the times are no slower
/// than they were before that level, as far as is known.
bool ends_spell(const stats::StepWatch& steps, std::size_t which, double least_step) {
  constexpr std::size_t few = 3;
  const stats::LevelStep& step = steps.steps()[which];
  if (!step.undoes || step.place.at > steps.steps()[*step.undoes].place.at + few) return false;
  const stats::StepSize size = steps.size_of(which);
  const double known_to = (size.step.high - size.step.low) / 2;
  return size.after - steps.size_of(*step.undoes).before <= std::max(least_step, known_to);
}

TrendChange change_of(const std::string& name, const WatchedSeries& series,
                      const NightlyTimes& times, std::size_t which) {
  const stats::LevelStep& step = series.steps.steps()[which];
  const stats::StepSize size = series.steps.size_of(which);
  const stats::Look& look = stats::looks()[step.look];
  TrendChange change;
  change.case_name = name;
  change.night = series.nights[step.place.at];
  change.earliest = series.nights[step.place.earliest];
  change.latest = series.nights[step.place.latest];
  change.before = std::exp(size.before);
  change.after = std::exp(size.after);
  change.ratio = {std::exp(size.step.low), std::exp(size.step.high)};
  change.unit = "ns";
  change.raised = series.nights[step.told - 1];
  change.known = KnownChange{series.nights[step.first], std::exp(step.before), std::exp(step.after),
                             step.told - step.first};
  if (step.undone) change.undone = series.nights[*step.undone - 1];
  if (step.undoes) change.undoes = series.nights[series.steps.steps()[*step.undoes].place.at];
  change.mode = step.mode;
  change.evidence = Evidence{look.after, look.before, step.score};
  change.environment = times.environment;
  change.worse = size.after > size.before;
  keep_recent(change, times.median_ns, step.place.at - series.begin);
  return change;
}

TrendDrift drift_of(const std::string& name, const WatchedSeries& series, const NightlyTimes& times,
                    const stats::ToldDrift& told) {
  TrendDrift drift;
  drift.case_name = name;
  drift.from = series.nights[told.begin];
  drift.last = series.nights[told.end - 1];
  drift.ratio = std::exp(told.size);
  drift.range = {std::exp(told.range.low), std::exp(told.range.high)};
  drift.raised = series.nights[told.told - 1];
  drift.known_from = series.nights[told.known_begin];
  const std::span<const double> values = times.median_ns;
  const std::size_t begin = told.begin - series.begin, end = told.end - series.begin,
                    before = std::min(begin, sparkline_reach),
                    after = std::min(values.size() - end, sparkline_reach);
  const auto recent = values.subspan(begin - before, before + end - begin + after);
  drift.recent.assign(recent.begin(), recent.end());
  drift.environment = times.environment;
  return drift;
}

}  // namespace

CaseTrend trend_of_times(const NightlyDevice& device, const NightlyCase& one,
                         const TrendRules& rules) {
  CaseTrend trend;
  const std::size_t tonight = device.nights.size() - 1;
  const auto is_new = [&](std::size_t raised) { return raised + rules.new_nights > tonight; };
  const std::vector<WatchedSeries> all =
      watch_all(one, std::log1p(rules.least_step.value()), rules.tick_ns);
  const auto latest = std::ranges::max_element(
      all, {}, [](const WatchedSeries& series) { return series.nights.back(); });
  trend.too_short = latest != all.end() && latest->own_nights() < least_told_nights;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const WatchedSeries& series = all[i];
    const NightlyTimes& times = one.times[i];
    for (std::size_t which = series.first_step; which < series.steps.steps().size(); ++which) {
      const stats::LevelStep& step = series.steps.steps()[which];
      if (step.slope && *step.slope > series.begin) continue;
      if (series.nights[step.place.at] + rules.shown_nights <= tonight) {
        ++trend.older;
        continue;
      }
      TrendChange& change = trend.changes.emplace_back(change_of(one.name, series, times, which));
      change.ends_spell = ends_spell(series.steps, which, std::log1p(rules.least_step.value()));
      change.is_new = !change.mode && is_new(*change.raised);
    }
    for (const stats::ToldDrift& told :
         stats::told_drifts(series.steps, series.drift, series.begin, series.first_step)) {
      if (series.nights[told.end - 1] + rules.shown_nights <= tonight) {
        ++trend.older;
        continue;
      }
      TrendDrift& drift = trend.drifts.emplace_back(drift_of(one.name, series, times, told));
      drift.is_new = is_new(drift.raised);
    }
  }
  return trend;
}

}  // namespace ridgeline::analysis
