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
  std::string first_night;  // as of which the job that asks told first; empty: it never did
  bool resolves = true;     // it says what is over, and what is not: one job does, so that others,
                            // which look otherwise, do not take back each night what it says
  bool of_a_day = false;    // it is what was told until some day, and no clock matters
};

/// What the file of `device` remembers for `job` (record::Telling::job); with `until`, a day, what
/// was told as of the nights of `device`, which end with it. An answer that was changed later is
/// not known.
Remembered remembered(store::Connection& connection, const NightlyDevice& device,
                      const std::string& job, const std::string& until = {});

/// After so long a start without a new night is no repetition of the job that told, but the next
/// one.
inline constexpr std::chrono::hours same_job{20};

/// What was never told, and lies so many nights back or more, is not new any more.
inline constexpr std::size_t oldest_new = 60;

/// Sets what stands of each finding: its label, what was told and said of it, since when it is
/// undone, whether it is new, whether it fails a night, and what is to be stored of it. `now` is a
/// point in time of UTC. Throws a store Error for what no Ridgeline could have told.
void stand(DeviceTrend& trend, const Remembered& remembered, const TrendRules& rules,
           const std::string& now);

/// What changes in the file when `trend`, which stands, is told now.
store::Retold retold(DeviceTrend& trend, const std::string& now);

/// Days since the last night when that is several nights of this device: more than three days, and
/// more than three of its usual distances between nights.
std::optional<std::int64_t> silence_of(const NightlyDevice& device, std::chrono::sys_seconds now);

}  // namespace ridgeline::analysis
