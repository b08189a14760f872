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

/// The nights around a change, each with the side it is on by its facts, up to the one that told
/// it.
struct Around {
  std::size_t earliest = 0, raised = 0;
  std::vector<FactSide> sides;
};

/// Whether a case is elsewhere on the nights behind a change, up to that which told it, than on the
/// last two weeks of nights before it, farther than white noise of its spread sets such medians
/// apart in one of a thousand. Of both only the nights count on which the facts were as on that
/// side: a pool's machine is compared with the one before it. Absent where it has no such nights.
std::optional<bool> has_moved(const NightlyTimes& times, const Around& around) {
  constexpr std::size_t fortnight = 14, two_months = 60, enough = 5;
  constexpr double least_spread = 5e-4;
  const std::size_t end = place(times.nights, around.earliest),
                    begin = end - std::min(end, two_months);
  std::vector<double> before, after;
  for (std::size_t i = end; i-- > begin && before.size() < fortnight;)
    if (around.sides[times.nights[i]] == FactSide::before) before.push_back(times.median_ns[i]);
  for (std::size_t i = end; i < place(times.nights, around.raised + 1); ++i)
    if (around.sides[times.nights[i]] == FactSide::after) after.push_back(times.median_ns[i]);
  if (before.size() < enough || after.empty()) return {};
  const std::span<const double> values = times.median_ns;
  const double spread =
                   std::max(least_spread, night_spread(before, values.subspan(begin, end - begin))),
               error = 1.25 * spread *
                       std::sqrt(1 / static_cast<double>(after.size()) +
                                 1 / static_cast<double>(before.size()));
  return std::abs(std::log(stats::median(after) / stats::median(before))) > 3.3 * error;
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
    change.changes = changes_of(change, times, before, change.latest);
    // What changed on the most likely night may be as before on the last possible one.
    const std::size_t likely = place(nights, change.night);
    if (change.earliest < change.latest && likely > 0)
      change.changes.prefer(changes_of(change, times, nights[likely - 1], change.night));
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

  /// What differs between two nights on both sides of a change.
  NightChanges changes_of(const TrendChange& change, const NightlyTimes* times, std::size_t before,
                          std::size_t after) {
    NightChanges found = changes_between(device_, times, before, after, change.known);
    narrow(found, change.case_name, before, after, change.environment);
    return found;
  }

  /// Those that moved with a change, as far as was known when it was told; its own case did.
  Company company_of(const TrendChange& change) {
    const std::vector<SwitchedFact>& facts = change.changes.facts;
    if (facts.empty()) return {};
    const std::size_t raised = change.raised.value_or(change.latest);
    std::vector<std::string> words;
    for (const SwitchedFact& fact : facts) words.push_back(fact.words);
    const auto [found, is_new] =
        companies_.try_emplace({change.environment, change.earliest, raised, words});
    std::map<std::string, bool>& moved = found->second;
    if (is_new) {
      Around around{change.earliest, raised, {}};
      const NightlyTimes own{change.environment, {}, {}};
      for (std::size_t night = 0; night <= raised; ++night)
        around.sides.push_back(side_of(device_, &own, night, facts));
      for (const NightlyCase& one : device_.cases)
        if (const NightlyTimes* times = times_of(one, change.environment))
          if (const auto has = has_moved(*times, around)) moved[one.name] = *has;
    }
    moved[change.case_name] = true;
    const auto count = std::ranges::count(moved, true, [](const auto& one) { return one.second; });
    return {static_cast<std::size_t>(count), moved.size()};
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
  // By environment, nights and facts of a change: whether each case moved with it.
  std::map<std::tuple<std::string, std::size_t, std::size_t, std::vector<std::string>>,
           std::map<std::string, bool>>
      companies_;
};

}  // namespace

void explain(DeviceTrend& trend) {
  if (trend.changes.empty() && trend.drifts.empty()) return;
  Explaining explaining(trend.nights);
  for (TrendChange& change : trend.changes) explaining.explain(change);
  for (TrendDrift& drift : trend.drifts) explaining.explain(drift);
}

}  // namespace ridgeline::analysis
