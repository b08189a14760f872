#include "harness/analysis/night_changes.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "harness/analysis/stored_side.hpp"
#include "harness/base/text.hpp"

namespace ridgeline::analysis {

bool is_reading(const std::string& key) {
  return key == "load_average" || key.find("_at_rest_") != std::string::npos ||
         key.ends_with("_lifetime");
}

namespace {

/// Of several workers the suites' own, which `gate --baseline-ref` builds.
const record::Build* main_build(const store::StoredRun& run) {
  const auto suites = std::ranges::find(run.builds, "ridgeline-suites", &record::Build::worker);
  if (suites != run.builds.end()) return &*suites;
  return run.builds.empty() ? nullptr : &run.builds.front();
}

void name_commit(const store::StoredRun& run, std::string& commit, bool& dirty) {
  const record::Build* build = main_build(run);
  if (build == nullptr || build->commit == "unknown") return;
  commit = build->commit;
  dirty = build->dirty;
}

}  // namespace

std::set<std::string> restless_facts(const NightlyDevice& device) {
  std::map<std::string, std::size_t> changes;
  std::set<std::string> restless;
  for (std::size_t i = 0; i < device.runs.size(); ++i)
    for (const auto& [key, value] : device.runs[i].environment.recorded) {
      if (is_reading(key)) restless.insert(key);
      if (i == 0) continue;
      const record::Facts& before = device.runs[i - 1].environment.recorded;
      const auto found = before.find(key);
      changes[key] += found == before.end() || found->second != value ? 1 : 0;
    }
  for (const auto& [key, count] : changes)
    if (count > 3 && count > device.runs.size() / 5) restless.insert(key);
  return restless;
}

NightChanges changes_between(const NightlyDevice& device, const std::set<std::string>& restless,
                             std::size_t before, std::size_t after) {
  const store::StoredRun& old_run = device.runs[device.nights.at(before).runs.back()];
  const store::StoredRun& new_run = device.runs[device.nights.at(after).runs.front()];
  NightChanges found;
  EnvironmentChanges differences = changes(old_run, new_run, restless);
  found.environment = std::move(differences.comparable);
  std::ranges::move(differences.recorded, std::back_inserter(found.environment));
  name_commit(old_run, found.before_commit, found.before_dirty);
  name_commit(new_run, found.after_commit, found.after_dirty);
  found.before_run = old_run.run.id;
  found.after_run = new_run.run.id;
  return found;
}

}  // namespace ridgeline::analysis
