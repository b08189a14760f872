#include "harness/analysis/trend.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "harness/analysis/stored_side.hpp"
#include "harness/base/in_parallel.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::analysis {
namespace {

/// Median of at most so many values before, or from, `night`.
std::optional<double> level_beside(const NightlyTimes& times, std::size_t night, bool before) {
  constexpr std::ptrdiff_t most = 14;
  const auto middle = std::ranges::lower_bound(times.nights, night) - times.nights.begin();
  const auto count = static_cast<std::ptrdiff_t>(times.nights.size());
  const std::ptrdiff_t begin = before ? std::max<std::ptrdiff_t>(0, middle - most) : middle;
  const std::ptrdiff_t end = before ? middle : std::min(count, middle + most);
  if (begin == end) return {};
  return stats::median(
      std::vector<double>(times.median_ns.begin() + begin, times.median_ns.begin() + end));
}

std::vector<EnvironmentStart> environment_starts(const NightlyDevice& device,
                                                 const TrendRules& rules) {
  std::vector<EnvironmentStart> starts;
  std::set<std::string> seen;
  const auto last_run = [&](std::size_t night) -> const store::StoredRun& {
    return device.runs[device.nights[night].runs.back()];
  };
  for (std::size_t night = 0; night < device.nights.size(); ++night) {
    const store::StoredRun& run = last_run(night);
    const bool first = seen.insert(run.environment.hash).second;
    if (night == 0 || !first || night + rules.shown_nights < device.nights.size()) continue;
    const store::StoredRun& earlier = last_run(night - 1);
    EnvironmentStart& start = starts.emplace_back();
    start.night = night;
    start.facts = changes({earlier.run, earlier.device, earlier.environment, {}},
                          {run.run, run.device, run.environment, {}})
                      .comparable;
    std::vector<double> ratios;
    for (const NightlyCase& one : device.cases) {
      const auto of = [&](const std::string& hash) {
        return std::ranges::find(one.times, hash, &NightlyTimes::environment);
      };
      const auto old_times = of(earlier.environment.hash), new_times = of(run.environment.hash);
      if (old_times == one.times.end() || new_times == one.times.end()) continue;
      const auto before = level_beside(*old_times, night, true),
                 after = level_beside(*new_times, night, false);
      if (before && after) ratios.push_back(*after / *before);
    }
    start.cases = ratios.size();
    if (ratios.empty()) continue;
    if (const double middle = stats::median(ratios); std::isfinite(middle) && middle > 0)
      start.ratio = middle;
  }
  return starts;
}

}  // namespace

bool is_excused(const TrendChange& change) {
  return change.ends_spell || (change.why && change.why->excused);
}

double least_step_of(DeviceKind kind) { return kind == DeviceKind::cuda ? 0.01 : 0.02; }

DeviceTrend trend_of(NightlyDevice device, const TrendRules& asked) {
  DeviceTrend trend;
  trend.nights = std::move(device);
  TrendRules rules = asked;
  if (!rules.least_step) rules.least_step = least_step_of(trend.nights.device.kind);
  trend.least_step = *rules.least_step;
  const std::vector<NightlyCase>& cases = trend.nights.cases;
  std::vector<CaseTrend> found(cases.size());
  in_parallel(cases.size(), cases.size() / 8 + 1, [&](std::size_t i) {
    found[i] = cases[i].times.empty() ? trend_of_counts(trend.nights, cases[i], rules)
                                      : trend_of_times(trend.nights, cases[i], rules);
  });
  trend.series = cases.size();
  for (CaseTrend& one : found) {
    trend.too_short += one.too_short ? 1 : 0;
    trend.older += one.older;
    std::ranges::move(one.changes, std::back_inserter(trend.changes));
    std::ranges::move(one.drifts, std::back_inserter(trend.drifts));
  }
  trend.environments = environment_starts(trend.nights, rules);
  trend.stops = stops_of(trend.nights, rules);
  add_shared_changes(trend, rules);
  explain(trend);
  gather_fleet_events(trend);
  return trend;
}

void keep_recent(TrendChange& change, const std::vector<double>& values, std::size_t at) {
  const std::size_t begin = at - std::min(at, sparkline_reach),
                    end = std::min(at + sparkline_reach, values.size());
  change.recent.assign(values.begin() + static_cast<std::ptrdiff_t>(begin),
                       values.begin() + static_cast<std::ptrdiff_t>(end));
  change.marked = at - begin;
}

std::size_t whole_nights_after(const NightlyDevice& device, std::size_t night) {
  return static_cast<std::size_t>(
      std::ranges::count(device.nights.begin() + static_cast<std::ptrdiff_t>(night) + 1,
                         device.nights.end(), false, &Night::cut));
}

bool fails(const TrendChange& change) {
  return change.kind == TrendKind::regression && change.is_new && !is_excused(change) &&
         !change.standing.quiet;
}

bool fails(const FleetEvent& event) {
  return std::ranges::any_of(event.members,
                             [](const TrendChange& change) { return fails(change); });
}

bool fails(const TrendDrift& drift) {
  return drift.is_new && drift.ratio > 1 && drift.changes.environment.empty() &&
         !drift.standing.quiet;
}

bool fails(const TrendStop& stop) {
  return stop.is_new && !stop.continued_by && !stop.standing.quiet;
}

}  // namespace ridgeline::analysis
