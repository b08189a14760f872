#include "harness/analysis/trend.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "harness/analysis/stored_side.hpp"
#include "harness/base/in_parallel.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::analysis {
namespace {

std::optional<TrendStop> stop_of(const NightlyDevice& device, const NightlyCase& one,
                                 const TrendRules& rules) {
  std::size_t last = 0, nights = 0;
  const auto add = [&](const std::vector<std::uint32_t>& of) {
    last = std::max<std::size_t>(last, of.back());
    nights = std::max(nights, of.size());
  };
  for (const NightlyTimes& times : one.times) add(times.nights);
  for (const NightlyCount& count : one.counts) add(count.nights);
  const std::size_t silent = device.nights.size() - 1 - last;
  if (silent < stopped_nights || nights < stopped_nights || silent >= rules.shown_nights) return {};
  TrendStop stop{one.name, last, {}, silent < stopped_nights + rules.new_nights};
  if (one.last_failure && one.last_failure_night > last) stop.since_then = one.last_failure;
  return stop;
}

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
    if (!ratios.empty()) start.ratio = stats::median(ratios);
  }
  return starts;
}

/// Takes the changes that many series share out of `trend.changes`.
void gather_fleet_events(DeviceTrend& trend, const std::set<std::string>& restless) {
  std::vector<std::int64_t> days;
  for (const TrendChange& change : trend.changes)
    days.push_back(trend.nights.nights[change.night].day);
  std::vector<bool> taken(trend.changes.size(), false);
  for (const std::vector<std::size_t>& group : fleet_events(days)) {
    FleetEvent& event = trend.fleet.emplace_back();
    std::size_t first = trend.nights.nights.size(), last = 0;
    std::vector<double> nights, ratios;
    for (const std::size_t i : group) {
      TrendChange& change = trend.changes[i];
      taken[i] = true;
      first = std::min(first, change.night);
      last = std::max(last, change.night);
      nights.push_back(static_cast<double>(change.night));
      if (change.before > 0) ratios.push_back(change.after / change.before);
      ++(change.after > change.before ? event.slower : event.faster);
      event.is_new |= change.is_new && change.confirmed;
      event.members.push_back(std::move(change));
    }
    event.night = static_cast<std::size_t>(stats::median(nights));
    event.ratio = ratios.empty() ? 1 : stats::median(ratios);
    event.changes = changes_between(trend.nights, restless, first == 0 ? 0 : first - 1, last);
    const bool worse =
        std::ranges::count(event.members, TrendKind::improvement, &TrendChange::kind) * 2 <
        static_cast<std::ptrdiff_t>(event.members.size());
    event.kind = kind_of(event.changes, worse);
    std::ranges::sort(event.members, {}, &TrendChange::case_name);
  }
  std::vector<TrendChange> alone;
  for (std::size_t i = 0; i < taken.size(); ++i)
    if (!taken[i]) alone.push_back(std::move(trend.changes[i]));
  trend.changes = std::move(alone);
  std::ranges::sort(trend.changes, {}, [](const TrendChange& change) {
    return std::tie(change.night, change.case_name);
  });
}

}  // namespace

double least_step_of(DeviceKind kind) { return kind == DeviceKind::cuda ? 0.01 : 0.02; }

DeviceTrend trend_of(NightlyDevice device, const TrendRules& asked) {
  DeviceTrend trend;
  trend.nights = std::move(device);
  TrendRules rules = asked;
  if (!rules.least_step) rules.least_step = least_step_of(trend.nights.device.kind);
  trend.least_step = *rules.least_step;
  const std::set<std::string> restless = restless_facts(trend.nights);
  const std::vector<NightlyCase>& cases = trend.nights.cases;
  std::vector<CaseTrend> found(cases.size());
  in_parallel(cases.size(), cases.size() / 8 + 1, [&](std::size_t i) {
    found[i] = cases[i].times.empty() ? trend_of_counts(trend.nights, cases[i], restless, rules)
                                      : trend_of_times(trend.nights, cases[i], restless, rules);
    found[i].stop = stop_of(trend.nights, cases[i], rules);
  });
  trend.series = cases.size();
  for (CaseTrend& one : found) {
    trend.too_short += one.too_short ? 1 : 0;
    trend.older += one.older;
    std::ranges::move(one.changes, std::back_inserter(trend.changes));
    if (one.drift) trend.drifts.push_back(std::move(*one.drift));
    if (one.stop) trend.stops.push_back(std::move(*one.stop));
  }
  trend.environments = environment_starts(trend.nights, rules);
  gather_fleet_events(trend, restless);
  return trend;
}

std::vector<std::vector<std::size_t>> fleet_events(std::span<const std::int64_t> days) {
  std::vector<std::size_t> left(days.size());  // in no event yet, by day
  std::iota(left.begin(), left.end(), 0);
  std::ranges::sort(left, {}, [&](std::size_t i) { return std::pair(days[i], i); });
  std::vector<std::vector<std::size_t>> events;
  for (;;) {
    std::size_t best_begin = 0, best_size = 0, end = 0;
    for (std::size_t begin = 0; begin < left.size(); ++begin) {
      while (end < left.size() && days[left[end]] <= days[left[begin]] + fleet_days) ++end;
      if (end - begin <= best_size) continue;
      best_begin = begin;
      best_size = end - begin;
    }
    if (best_size < fleet_size) break;
    const auto first = left.begin() + static_cast<std::ptrdiff_t>(best_begin);
    const auto last = first + static_cast<std::ptrdiff_t>(best_size);
    events.emplace_back(first, last);
    left.erase(first, last);
  }
  std::ranges::sort(events, {},
                    [&](const std::vector<std::size_t>& event) { return days[event.front()]; });
  return events;
}

void keep_recent(TrendChange& change, const std::vector<double>& values, std::size_t at) {
  const std::size_t begin = at - std::min(at, sparkline_reach),
                    end = std::min(at + sparkline_reach, values.size());
  change.recent.assign(values.begin() + static_cast<std::ptrdiff_t>(begin),
                       values.begin() + static_cast<std::ptrdiff_t>(end));
  change.marked = at - begin;
}

bool fails(const TrendChange& change) {
  return change.kind == TrendKind::regression && change.confirmed && change.is_new;
}

bool fails(const FleetEvent& event) {
  return event.kind != TrendKind::environment &&
         std::ranges::any_of(event.members,
                             [](const TrendChange& change) { return fails(change); });
}

bool fails(const TrendDrift& drift) {
  return drift.is_new && drift.ratio > 1 && drift.changes.environment.empty();
}

bool fails(const TrendStop& stop) { return stop.is_new; }

}  // namespace ridgeline::analysis
