#pragma once

#include <set>
#include <string>
#include <vector>

#include "harness/analysis/nightly_series.hpp"

namespace ridgeline::analysis {

/// What else changed between two nights of a device.
struct NightChanges {
  // Facts and how workers were built, in words: "driver 580.1 -> 580.2".
  std::vector<std::string> environment;
  // Full hashes; equal when nothing changed; empty where unknown.
  std::string before_commit, after_commit;
  // Built with local changes: the commit does not say from what.
  bool before_dirty = false, after_dirty = false;
  std::string before_run, after_run;  // ids of the runs that are compared

  bool commit_changed() const { return before_commit != after_commit; }
};

/// Whether a recorded fact is by its name a reading, such as a load or a temperature at rest, and
/// no setting.
bool is_reading(const std::string& key);

/// Facts that are readings rather than settings, such as a temperature: they differ every few
/// nights anyway, so that a difference explains nothing.
std::set<std::string> restless_facts(const NightlyDevice& device);

/// Compares the last run of night `before` with the first of night `after`.
NightChanges changes_between(const NightlyDevice& device, const std::set<std::string>& restless,
                             std::size_t before, std::size_t after);

}  // namespace ridgeline::analysis
