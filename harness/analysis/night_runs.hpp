#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/analysis/nightly_series.hpp"

/// Which runs of a device make nights.
namespace ridgeline::analysis {

/// What a clock said that cannot be, by run: those that make no nights.
struct OutOfTime {
  std::vector<const store::StoredRun*> kept;     // in their order
  std::map<std::string, std::int64_t> left_out;  // why, and how many
  bool behind = false;  // the clock of this machine cannot be right: most runs start after it
};

/// Leaves out runs of the future, and few that lie more than a year from all others. `runs` are
/// oldest first; without `now` none is of the future.
OutOfTime leave_out_of_time(std::span<const store::StoredRun* const> runs,
                            std::optional<std::chrono::sys_seconds> now);

/// The second of UTC in which a run started. Throws a store Error when that is none.
std::chrono::sys_seconds start_of(const store::StoredRun& run, const std::filesystem::path& file);

/// What is odd about runs that make nights, in words: those that did not finish, and those that
/// were stored after later ones. `order` is that in which runs were stored.
std::vector<std::string> oddities_of(std::span<const store::StoredRun> runs,
                                     const std::unordered_map<std::string, std::int64_t>& order,
                                     const std::filesystem::path& file);

}  // namespace ridgeline::analysis
