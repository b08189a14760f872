#include "harness/analysis/night_changes.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "harness/analysis/main_build.hpp"
#include "harness/analysis/profile_changes.hpp"
#include "harness/analysis/stored_side.hpp"
#include "harness/base/text.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::analysis {

const record::Build* main_build(const std::vector<record::Build>& builds) {
  const auto suites = std::ranges::find(builds, "ridgeline-suites", &record::Build::worker);
  if (suites != builds.end()) return &*suites;
  return builds.empty() ? nullptr : &builds.front();
}

namespace {

using store::StoredRun;

void name_commit(const std::vector<record::Build>& builds, std::string& commit, bool& dirty) {
  const record::Build* build = main_build(builds);
  if (build == nullptr || build->commit == "unknown") return;
  commit = build->commit;
  dirty = build->dirty;
}

std::string code_of(const std::vector<record::Build>& builds) {
  std::set<std::string> workers;
  for (const record::Build& build : builds) {
    if (!is_known_code(build.code_hash)) return {};
    workers.insert(fmt::format("{} {}", build.worker, build.code_hash.substr(0, 16)));
  }
  std::string text;
  for (const std::string& one : workers) text += (text.empty() ? "" : ", ") + one;
  return text;
}

void add_facts(NightChanges& to, const Past& past, const StoredRun& before, const StoredRun& after,
               record::Facts record::Environment::*facts, FactsOf of) {
  for (SwitchedFact& fact : switched_facts(past, before, after, facts, of)) {
    to.add(of == FactsOf::libraries ? Area::toolkit : Area::machine, fact.words);
    if (of == FactsOf::machine && facts == &record::Environment::recorded)
      to.facts.push_back(std::move(fact));
  }
}

/// `past` is of the night before the change.
NightChanges compared(const NightlyDevice& device, const NightlyTimes* times, std::size_t before,
                      std::size_t after, const Past& past) {
  std::vector<const StoredRun*> old_runs, new_runs;
  for (std::size_t night = before + 1; night-- > 0 && old_runs.empty();)
    old_runs = runs_of(device, times, night);
  for (std::size_t night = after; night < device.nights.size() && new_runs.empty(); ++night)
    new_runs = runs_of(device, times, night);
  NightChanges found;
  if (old_runs.empty() || new_runs.empty()) return found;
  const StoredRun *old_run = old_runs.back(), *new_run = new_runs.front();
  for (const StoredRun* one : new_runs) {
    const auto same = std::ranges::find(old_runs.rbegin(), old_runs.rend(), one->environment.hash,
                                        [](const StoredRun* run) { return run->environment.hash; });
    if (same == old_runs.rend()) continue;
    old_run = *same;
    new_run = one;
    break;
  }
  if (times)
    for (std::string& words : profile_changes(old_run->run, new_run->run))
      found.add(Area::method, std::move(words));
  add_facts(found, past, *old_run, *new_run, &record::Environment::comparable, FactsOf::machine);
  if (times)
    add_facts(found, past, *old_run, *new_run, &record::Environment::recorded, FactsOf::machine);
  for (std::string& words : build_changes(old_run->builds, new_run->builds))
    found.add(Area::toolkit, std::move(words));
  add_facts(found, past, *old_run, *new_run, &record::Environment::recorded, FactsOf::libraries);
  name_commit(old_run->builds, found.before_commit, found.before_dirty);
  name_commit(new_run->builds, found.after_commit, found.after_dirty);
  found.before_code = code_of(old_run->builds);
  found.after_code = code_of(new_run->builds);
  found.before_run = old_run->run.id;
  found.after_run = new_run->run.id;
  return found;
}

}  // namespace

void NightChanges::prefer(const NightChanges& likely) {
  std::set<std::string> other_values;  // of facts that switched on the likely night
  for (const SwitchedFact& fact : facts)
    if (std::ranges::count(likely.facts, fact.key, &SwitchedFact::key) > 0)
      other_values.insert(fact.words);
  std::erase_if(facts, [&](const SwitchedFact& fact) { return other_values.contains(fact.words); });
  NightChanges both = without_environment();
  for (const Area area : {Area::method, Area::machine, Area::toolkit}) {
    for (std::size_t i = 0; i < likely.areas.size(); ++i)
      if (likely.areas[i] == area) both.add(area, likely.environment[i]);
    for (std::size_t i = 0; i < areas.size(); ++i)
      if (areas[i] == area && std::ranges::count(both.environment, environment[i]) == 0 &&
          !other_values.contains(environment[i]))
        both.add(area, environment[i]);
  }
  both.facts = likely.facts;
  std::ranges::move(facts, std::back_inserter(both.facts));
  *this = std::move(both);
}

NightChanges changes_between(const NightlyDevice& device, const NightlyTimes* times,
                             std::size_t before, std::size_t after,
                             const std::optional<KnownChange>& known) {
  return compared(device, times, before, after, past_of(device, times, before, known));
}

void keep_workers(NightChanges& changes, const StoredRun& before, const StoredRun& after,
                  const std::set<std::string>& workers) {
  std::vector<record::Build> old_builds = before.builds, new_builds = after.builds;
  const auto other = [&](const record::Build& build) { return !workers.contains(build.worker); };
  std::erase_if(old_builds, other);
  std::erase_if(new_builds, other);
  if (old_builds.empty() || new_builds.empty()) return;
  changes.before_code = code_of(old_builds);
  changes.after_code = code_of(new_builds);
  name_commit(old_builds, changes.before_commit, changes.before_dirty);
  name_commit(new_builds, changes.after_commit, changes.after_dirty);
  const std::vector<std::string> all = build_changes(before.builds, after.builds),
                                 own = build_changes(old_builds, new_builds);
  const NightChanges found = std::exchange(changes, changes.without_environment());
  for (std::size_t i = 0; i < found.environment.size(); ++i) {
    const std::string& words = found.environment[i];
    if (std::ranges::count(all, words) == 0 || std::ranges::count(own, words) > 0)
      changes.add(found.areas[i], words);
  }
}

NightChanges changes_over(const NightlyDevice& device, const NightlyTimes& times, std::size_t from,
                          std::size_t to) {
  constexpr std::size_t fortnight = 14;
  const std::size_t before_last = to - std::min<std::size_t>(to, 1), last = count_before(times, to),
                    count = std::min(last, fortnight);
  std::optional<KnownChange> known;
  if (count > 0 && last < times.nights.size())
    known = KnownChange{to, stats::median(std::span(times.median_ns).subspan(last - count, count)),
                        times.median_ns[last]};
  return compared(device, &times, from, to, past_of(device, &times, before_last, known));
}

}  // namespace ridgeline::analysis
