#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/analysis/nightly_series.hpp"
#include "harness/analysis/switched_facts.hpp"

namespace ridgeline::analysis {

/// What a difference that is not the code's is one of.
enum class Area {
  method,   // how it was measured: profile, launch, cache, work of the case
  machine,  // the device, the system, their settings
  toolkit,  // how workers were built, and libraries that they load
};

/// What else changed between two nights of a device.
struct NightChanges {
  // In words: "driver 580.1 -> 580.2". First of the method, then of the machine, then of the
  // toolkit.
  std::vector<std::string> environment;
  std::vector<Area> areas;          // of each of these
  std::vector<SwitchedFact> facts;  // of the machine, those of recorded ones that are among them
  // Full hashes; equal when nothing changed; empty where unknown.
  std::string before_commit, after_commit;
  // Built with local changes: the commit does not say from what.
  bool before_dirty = false, after_dirty = false;
  std::string before_run, after_run;  // ids of the runs that are compared
  // Hashes of what the workers executed, by worker in one text; empty where one is unknown.
  std::string before_code, after_code;

  bool commit_changed() const { return before_commit != after_commit; }
  bool code_known() const { return !before_code.empty() && !after_code.empty(); }
  void add(Area area, std::string words) {
    areas.push_back(area);
    environment.push_back(std::move(words));
  }
  /// Takes along what changed on the most likely night alone; of a fact that is among both it
  /// counts.
  void prefer(const NightChanges& likely);
  NightChanges without_environment() const {
    NightChanges left = *this;
    left.environment.clear();
    left.areas.clear();
    return left;
  }
};

/// Compares the last run of night `before` or earlier with the first of night `after` or later,
/// both of the comparable environment of `times`. Without `times` those of a series of counts: two
/// runs of one environment where there are two, and nothing that only times depend on.
///
/// A fact that differs is left out when it explains nothing: readings; what was as it is now on two
/// of the `past_nights` nights before, unless it told the times apart: on four of five nights on
/// which it was as it is now they were nearer to the level after `known`, and on four of five on
/// which it was as on the night before to that before it; and what changed on every fifth of these
/// nights, and had four values or more, unless it told them apart as chance does in one of a
/// hundred.
NightChanges changes_between(const NightlyDevice& device, const NightlyTimes* times,
                             std::size_t before, std::size_t after,
                             const std::optional<KnownChange>& known = {});
/// Leaves out what differs of other workers than `workers`, which measured the case on both sides:
/// their commit, their code, and how they were built. The runs are those that have the case.
void keep_workers(NightChanges& changes, const store::StoredRun& before,
                  const store::StoredRun& after, const std::set<std::string>& workers);
/// The same of a slow change, which was told on night `to`: the nights before that say which facts
/// are restless.
NightChanges changes_over(const NightlyDevice& device, const NightlyTimes& times, std::size_t from,
                          std::size_t to);

}  // namespace ridgeline::analysis
