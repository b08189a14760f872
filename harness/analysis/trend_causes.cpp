#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "harness/analysis/trend.hpp"

namespace ridgeline::analysis {
namespace {

/// Where in ascending `nights` those before `night` end.
std::size_t place(const std::vector<std::uint32_t>& nights, std::size_t night) {
  return static_cast<std::size_t>(std::ranges::lower_bound(nights, night) - nights.begin());
}

bool with_environment(TrendCause cause) {
  return cause == TrendCause::method || cause == TrendCause::machine ||
         cause == TrendCause::toolkit;
}

class Explaining {
 public:
  explicit Explaining(const NightlyDevice& device) : device_(device), methods_(device) {
    for (const NightlyCase& one : device.cases) cases_.emplace(one.name, &one);
  }

  void explain(TrendChange& change) {
    const NightlyCase& one = *cases_.at(change.case_name);
    const NightlyTimes* times = times_of(one, change.environment);
    const std::vector<std::uint32_t>& nights =
        times ? times->nights
              : std::ranges::find(one.counts, change.metric, &NightlyCount::metric)->nights;
    const std::size_t first = place(nights, change.earliest);
    if (first > 0) change.night_before = nights[first - 1];
    const std::size_t before = change.night_before.value_or(change.earliest);
    change.changes = changes_between(device_, times, before, change.latest, change.known);
    add_methods(change.changes, change.case_name);
    Habit habit;
    if (const auto& known = change.known; times && known)
      habit =
          habit_before(times->median_ns, place(nights, known->night), known->before, known->after);
    habit.mode = change.mode;
    change.why = why_of(change.changes, habit);
    if (with_environment(change.why->cause))
      change.kind = TrendKind::environment;
    else
      change.kind = change.worse ? TrendKind::regression : TrendKind::improvement;
  }

  void explain(TrendDrift& drift) {
    const NightlyTimes& times = *times_of(*cases_.at(drift.case_name), drift.environment);
    drift.changes = changes_over(device_, times, drift.known_from, drift.raised);
    add_methods(drift.changes, drift.case_name);
    drift.why = why_of(drift.changes, {});
  }

 private:
  static const NightlyTimes* times_of(const NightlyCase& one, const std::string& environment) {
    const auto found = std::ranges::find(one.times, environment, &NightlyTimes::environment);
    return found == one.times.end() ? nullptr : &*found;
  }

  void add_methods(NightChanges& changes, const std::string& case_name) {
    NightChanges all = changes;
    all.environment.clear();
    all.areas.clear();
    for (std::string& words : methods_.changes(case_name, changes.before_run, changes.after_run))
      all.add(Area::method, std::move(words));
    for (std::size_t i = 0; i < changes.environment.size(); ++i)
      all.add(changes.areas[i], std::move(changes.environment[i]));
    changes = std::move(all);
  }

  const NightlyDevice& device_;
  Methods methods_;
  std::unordered_map<std::string, const NightlyCase*> cases_;
};

}  // namespace

void explain(DeviceTrend& trend) {
  if (trend.changes.empty() && trend.drifts.empty()) return;
  Explaining explaining(trend.nights);
  for (TrendChange& change : trend.changes) explaining.explain(change);
  for (TrendDrift& drift : trend.drifts) explaining.explain(drift);
}

}  // namespace ridgeline::analysis
