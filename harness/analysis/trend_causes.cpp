#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>

#include "harness/analysis/change_cause.hpp"
#include "harness/analysis/trend.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::analysis {
namespace {

/// Where in ascending `nights` those before `night` end.
std::size_t place(const std::vector<std::uint32_t>& nights, std::size_t night) {
  return static_cast<std::size_t>(std::ranges::lower_bound(nights, night) - nights.begin());
}

/// Standard deviation of the log of one night: of a fortnight about its median, or by the steps of
/// two months where that is more. Few values alone make it half as large by chance.
double night_spread(std::span<const double> fortnight, std::span<const double> two_months) {
  const double was = stats::median(fortnight);
  std::vector<double> off;
  for (const double value : fortnight) off.push_back(std::abs(std::log(value / was)));
  return std::max(1.4826 * stats::median(off), spread_by_steps(two_months));
}

/// Whether a case is elsewhere on the nights from `latest` to `raised` than in its last two weeks
/// before `earliest`, farther than white noise of its spread sets such medians apart in one of a
/// thousand; absent where it has no such nights.
std::optional<bool> has_moved(const NightlyTimes& times, std::size_t earliest, std::size_t latest,
                              std::size_t raised) {
  constexpr std::size_t fortnight = 14, two_months = 60, enough = 5;
  constexpr double least_spread = 5e-4;
  const std::size_t end = place(times.nights, earliest), begin = end - std::min(end, fortnight),
                    long_ago = end - std::min(end, two_months), from = place(times.nights, latest),
                    to = place(times.nights, raised + 1);
  if (end < begin + enough || to <= from) return {};
  const std::span<const double> values = times.median_ns;
  const double was = stats::median(values.subspan(begin, end - begin)),
               is = stats::median(values.subspan(from, to - from));
  const double spread =
                   std::max(least_spread, night_spread(values.subspan(begin, end - begin),
                                                       values.subspan(long_ago, end - long_ago))),
               error = 1.25 * spread *
                       std::sqrt(1 / static_cast<double>(to - from) +
                                 1 / static_cast<double>(end - begin));
  return std::abs(std::log(is / was)) > 3.3 * error;
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
    narrow(change.changes, change.case_name, before, change.latest, change.environment);
    Habit habit;
    if (const auto& known = change.known; times && known)
      habit = habit_before(times->median_ns, place(nights, known->night), *known);
    habit.mode = change.mode;
    change.why = why_of(change.changes, habit, times ? company_of(change) : Company());
    if (with_environment(change.why->cause))
      change.kind = TrendKind::environment;
    else
      change.kind = change.worse ? TrendKind::regression : TrendKind::improvement;
  }

  void explain(TrendDrift& drift) {
    const NightlyTimes& times = *times_of(*cases_.at(drift.case_name), drift.environment);
    drift.changes = changes_over(device_, times, drift.known_from, drift.raised);
    narrow(drift.changes, drift.case_name, drift.known_from, drift.raised, drift.environment);
    drift.why = why_of(drift.changes, {});
  }

 private:
  static const NightlyTimes* times_of(const NightlyCase& one, const std::string& environment) {
    const auto found = std::ranges::find(one.times, environment, &NightlyTimes::environment);
    return found == one.times.end() ? nullptr : &*found;
  }

  /// Those that moved with a change, as far as was known when it was told.
  Company company_of(const TrendChange& change) {
    if (std::ranges::find(change.changes.areas, Area::machine) == change.changes.areas.end())
      return {};
    const std::size_t raised = change.raised.value_or(change.latest);
    const auto [found, is_new] =
        companies_.try_emplace({change.environment, change.earliest, change.latest, raised});
    if (!is_new) return found->second;
    for (const NightlyCase& one : device_.cases) {
      const NightlyTimes* times = times_of(one, change.environment);
      if (!times) continue;
      const auto moved = has_moved(*times, change.earliest, change.latest, raised);
      found->second.cases += moved ? 1 : 0;
      found->second.moved += moved.value_or(false) ? 1 : 0;
    }
    return found->second;
  }

  /// The last or the first run of a night, in that environment, that has the case; else `usual`.
  std::string run_with(const std::string& case_name, std::size_t night,
                       const std::string& environment, bool last, const std::string& usual) {
    std::string found = usual;
    if (methods_.has(case_name, usual)) return found;
    for (const std::size_t run : device_.nights.at(night).runs) {
      const store::StoredRun& one = device_.runs[run];
      if (!environment.empty() && one.environment.hash != environment) continue;
      if (!methods_.has(case_name, one.run.id)) continue;
      found = one.run.id;
      if (!last) break;
    }
    return found;
  }

  const store::StoredRun* stored(const std::string& id) const {
    const auto found =
        std::ranges::find(device_.runs, id, [](const store::StoredRun& one) { return one.run.id; });
    return found == device_.runs.end() ? nullptr : &*found;
  }

  /// What of `changes` is of the case: how it was measured, and by which workers.
  void narrow(NightChanges& changes, const std::string& case_name, std::size_t before,
              std::size_t after, const std::string& environment) {
    const std::string old_run = run_with(case_name, before, environment, true, changes.before_run),
                      new_run = run_with(case_name, after, environment, false, changes.after_run);
    std::set<std::string> workers = methods_.workers(case_name, old_run);
    workers.merge(methods_.workers(case_name, new_run));
    const store::StoredRun *was = stored(old_run), *is = stored(new_run);
    if (was && is && !workers.empty()) keep_workers(changes, *was, *is, workers);
    NightChanges all = changes.without_environment();
    for (std::string& words : methods_.changes(case_name, old_run, new_run))
      all.add(Area::method, std::move(words));
    for (std::size_t i = 0; i < changes.environment.size(); ++i)
      all.add(changes.areas[i], std::move(changes.environment[i]));
    changes = std::move(all);
  }

  const NightlyDevice& device_;
  Methods methods_;
  std::unordered_map<std::string, const NightlyCase*> cases_;
  std::map<std::tuple<std::string, std::size_t, std::size_t, std::size_t>, Company> companies_;
};

}  // namespace

void explain(DeviceTrend& trend) {
  if (trend.changes.empty() && trend.drifts.empty()) return;
  Explaining explaining(trend.nights);
  for (TrendChange& change : trend.changes) explaining.explain(change);
  for (TrendDrift& drift : trend.drifts) explaining.explain(drift);
}

}  // namespace ridgeline::analysis
