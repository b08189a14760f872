#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/analysis/trend.hpp"

/// What is alike in all that a trend tells of one case.
namespace ridgeline::analysis {

/// Since 1970.
struct Days {
  std::int64_t first = 0, last = 0;
};

/// A finding of one case: a change, also one of many, a drift or a stop. Refers to its trend, and
/// through `is_new` and `standing` alone to what may be changed of it.
struct Subject {
  const DeviceTrend* trend = nullptr;
  std::string_view case_name;
  record::ToldWhat what = record::ToldWhat::step;
  std::string_view kind{};
  std::size_t earliest = 0, night = 0, latest = 0;
  Days days{};             // from earliest to latest
  std::size_t raised = 0;  // the night that told it
  std::optional<double> ratio{};
  bool told = true;    // a night tells it: no mode, and no case that was renamed
  bool worse = false;  // it fails a night once it is new
  bool* is_new = nullptr;
  Standing* standing = nullptr;
  const TrendChange* change = nullptr;   // of a step or a count
  const FleetEvent* event = nullptr;     // of which it is a member
  const NightlyTimes* series = nullptr;  // of a step or a drift
};

std::vector<Subject> subjects_of(DeviceTrend& trend);

/// Absent where `trend` has none of that name.
const NightlyCase* case_of(const DeviceTrend& trend, std::string_view name);

/// Where else the place of it may be found on another night.
Days reach_of(const Subject& subject);

/// A label that none of `taken` is, and takes it.
std::string new_label(const Subject& subject, std::set<std::string>& taken);

/// A row for what was never told: known, not new.
record::Told row_of(const DeviceTrend& trend, const Subject& subject, const std::string& now);

}  // namespace ridgeline::analysis
