#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/trend.hpp"
#include "harness/store/told.hpp"

/// What was told before of what a trend finds, and what is to be remembered of telling it now: a
/// nightly job fails once for each change.
namespace ridgeline::analysis {

/// What a file remembers of one device and profile.
struct Remembered {
  std::vector<record::Told> told;
  bool told_before = false;  // the job that asks has told before
};

/// What the file of `device` remembers for `job` (record::Telling::job); with `until`, a day, as it
/// was at its end.
Remembered remembered(store::Connection& connection, const NightlyDevice& device,
                      const std::string& job, const std::string& until = {});

/// After so long a start without a new night is no repetition of the job that told, but the next
/// one.
inline constexpr std::chrono::hours same_job{20};

/// How many values of its series the place of a change may move without it being another one.
inline constexpr std::size_t places_moved = 3;
/// How much larger it may become, of the logs.
inline constexpr double sizes_grown = 1.5;

/// What was never told, and lies so many nights back or more, is not new any more.
inline constexpr std::size_t oldest_new = 60;

/// Sets what stands of each finding: its label, what was told and said of it, since when it is
/// undone, whether it is new, and whether it fails a night. `now` is a point in time of UTC. Throws
/// a store Error for what no Ridgeline could have told.
void stand(DeviceTrend& trend, const Remembered& remembered, const TrendRules& rules,
           const std::string& now);

/// What changes in the file when `trend`, which stands, is told now.
store::Retold retold(DeviceTrend& trend, const std::string& now);

/// Days since the last night when that is several nights of this device: more than three days, and
/// more than three of its usual distances between nights.
std::optional<std::int64_t> silence_of(const NightlyDevice& device, std::chrono::sys_seconds now);

}  // namespace ridgeline::analysis
