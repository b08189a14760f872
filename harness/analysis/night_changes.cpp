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

bool is_reading(const std::string& key) {
  return key == "load_average" || key.find("_at_rest_") != std::string::npos ||
         key.ends_with("_lifetime");
}

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

/// A library that workers load when they start.
bool is_library(const std::string& key) {
  return key.starts_with("cudnn") || key.starts_with("cublas") || key.starts_with("nccl") ||
         key.starts_with("openblas") || key.starts_with("mpi");
}

/// The runs of a night that a series may have its value from.
std::vector<const StoredRun*> runs_of(const NightlyDevice& device, const NightlyTimes* times,
                                      std::size_t night) {
  std::vector<const StoredRun*> runs;
  for (const std::size_t run : device.nights.at(night).runs)
    if (!times || device.runs[run].environment.hash == times->environment)
      runs.push_back(&device.runs[run]);
  return runs;
}

/// The nights before a change, each with the run that came last, oldest first.
struct Past {
  std::vector<const StoredRun*> runs;
  std::vector<std::optional<bool>> there;  // whether the series' time was nearer to the new level
};

/// How many of the nights that a series has lie before `night`.
std::size_t count_before(const NightlyTimes& times, std::size_t night) {
  return static_cast<std::size_t>(std::ranges::lower_bound(times.nights, night) -
                                  times.nights.begin());
}

/// Of the nights up to `before`.
Past past_of(const NightlyDevice& device, const NightlyTimes* times, std::size_t before,
             const std::optional<KnownChange>& known) {
  Past past;
  const auto add = [&](std::size_t night, std::optional<bool> there) {
    const std::vector<const StoredRun*> runs = runs_of(device, times, night);
    if (runs.empty()) return;
    past.runs.push_back(runs.back());
    past.there.push_back(there);
  };
  if (!times) {
    for (std::size_t night = before + 1 - std::min(before + 1, past_nights); night <= before;
         ++night)
      add(night, {});
    return past;
  }
  const auto there = [&](double ns) -> std::optional<bool> {
    if (!known) return {};
    return std::abs(std::log(ns / known->after)) < std::abs(std::log(ns / known->before));
  };
  const std::size_t end = count_before(*times, before + 1);
  for (std::size_t i = end - std::min(end, past_nights); i < end; ++i)
    add(times->nights[i], there(times->median_ns[i]));
  return past;
}

using Read = std::function<std::optional<std::string>(const StoredRun&)>;

/// Whether it says nothing that what `read` reads of a run is now `value` and was `old_value`: see
/// changes_between.
bool explains_nothing(const Past& past, const Read& read,
                      const std::optional<std::string>& old_value,
                      const std::optional<std::string>& value) {
  std::set<std::optional<std::string>> values;
  std::optional<std::string> previous;
  std::size_t changes = 0, seen = 0, with_times = 0;
  std::size_t as_now_there = 0, others = 0, others_here = 0;  // nights, by which level was nearer
  for (std::size_t i = 0; i < past.runs.size(); ++i) {
    const std::optional<std::string> here = read(*past.runs[i]);
    values.insert(here);
    changes += i > 0 && here != previous ? 1 : 0;
    previous = here;
    seen += here == value ? 1 : 0;
    if (!past.there[i]) continue;
    if (here == value) {
      ++with_times;
      as_now_there += *past.there[i] ? 1 : 0;
    } else if (here == old_value) {
      ++others;
      others_here += *past.there[i] ? 0 : 1;
    }
  }
  if (changes > 3 && changes * 5 > past.runs.size() && values.size() >= 4) return true;
  if (seen < 2) return false;
  const bool told_apart =
      with_times > 0 && as_now_there * 5 >= with_times * 4 && others_here * 5 >= others * 4;
  return !told_apart;
}

void add_facts(NightChanges& to, const Past& past, const StoredRun& before, const StoredRun& after,
               record::Facts record::Environment::*facts, bool libraries) {
  std::set<std::string> keys;
  for (const StoredRun* run : {&before, &after})
    for (const auto& [key, value] : run->environment.*facts)
      if (!is_reading(key) && is_library(key) == libraries) keys.insert(key);
  for (const std::string& key : keys) {
    const Read read = [&](const StoredRun& run) -> std::optional<std::string> {
      const auto found = (run.environment.*facts).find(key);
      if (found == (run.environment.*facts).end()) return {};
      return found->second;
    };
    const auto only = [&](const StoredRun& run) {
      const auto value = read(run);
      return value ? record::Facts{{key, *value}} : record::Facts{};
    };
    const std::vector<std::string> words = fact_changes(only(before), only(after));
    if (words.empty() || explains_nothing(past, read, read(before), read(after))) continue;
    to.add(libraries ? Area::toolkit : Area::machine, words.front());
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
  add_facts(found, past, *old_run, *new_run, &record::Environment::comparable, false);
  if (times) add_facts(found, past, *old_run, *new_run, &record::Environment::recorded, false);
  for (std::string& words : build_changes(old_run->builds, new_run->builds))
    found.add(Area::toolkit, std::move(words));
  add_facts(found, past, *old_run, *new_run, &record::Environment::recorded, true);
  name_commit(old_run->builds, found.before_commit, found.before_dirty);
  name_commit(new_run->builds, found.after_commit, found.after_dirty);
  found.before_code = code_of(old_run->builds);
  found.after_code = code_of(new_run->builds);
  found.before_run = old_run->run.id;
  found.after_run = new_run->run.id;
  return found;
}

}  // namespace

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
