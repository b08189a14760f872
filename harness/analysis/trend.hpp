#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "harness/analysis/night_changes.hpp"
#include "harness/analysis/nightly_series.hpp"
#include "harness/stats/interval.hpp"

/// What changed over the nights of a device, and since when.
namespace ridgeline::analysis {

/// Nights before and behind a change that a sparkline shows.
inline constexpr std::size_t sparkline_reach = 30;

struct TrendRules {
  std::optional<double> least_step;  // relative; absent: least_step_of the device's kind
  std::size_t new_nights = 1;        // an analysis so many nights ago did not have what is new
  std::size_t shown_nights = 90;     // what is older is counted, no more
};

/// The smallest change of a case's level that counts on a kind of device, unless told otherwise.
double least_step_of(DeviceKind kind);

/// Nights without a time from which on a case has stopped.
inline constexpr std::size_t stopped_nights = 3;

enum class TrendKind {
  regression,   // slower, or a count for the worse, and nothing but code is known to have changed
  improvement,  // the contrary
  environment,  // something other than code changed as well: no verdict on the code
};
inline std::span<const Name<TrendKind>> names(TrendKind) {
  static constexpr Name<TrendKind> kinds[] = {{TrendKind::regression, "regression"},
                                              {TrendKind::improvement, "improvement"},
                                              {TrendKind::environment, "environment"}};
  return kinds;
}
using ridgeline::to_string;

/// Nights are those of NightlyDevice::nights.
struct TrendChange {
  std::string case_name;
  TrendKind kind = TrendKind::regression;
  std::size_t night = 0;                 // the first of the new level
  std::size_t earliest = 0, latest = 0;  // where that may be as well
  double before = 0, after = 0;          // medians of the segments: ns, or the metric's values
  std::optional<stats::Interval> ratio;  // 95%, of after / before; absent for counts, which are
                                         // exact
  std::string metric, unit;  // of the count that changed most, in its direction; empty for times
  std::size_t other_metrics = 0;  // that changed with it
  bool confirmed = false;
  std::optional<std::size_t> raised;  // the night that first confirmed it; absent when long ago
  bool is_new = false;
  NightChanges changes;        // from the night before `earliest` to `latest`
  std::vector<double> recent;  // the series around it, for a sparkline: ns or values
  std::size_t marked = 0;      // where in `recent` the new level begins
};

struct TrendDrift {
  std::string case_name;
  std::size_t from = 0;   // the first night of its span; the last one is tonight
  double ratio = 1;       // of the end of the span over its beginning
  stats::Interval range;  // 95%
  bool is_new = false;
  std::vector<double> recent;
  NightChanges changes;  // over its span
};

struct TrendStop {
  std::string case_name;
  std::size_t last = 0;                       // the last night with a time
  std::optional<record::Outcome> since_then;  // how its latest measurement ended; absent when there
                                              // was none
  bool is_new = false;
};

/// Changes that many series share.
struct FleetEvent {
  TrendKind kind = TrendKind::regression;
  std::size_t night = 0;  // the median of its changes'
  std::size_t slower = 0, faster = 0;
  double ratio = 1;  // median of after / before
  std::vector<TrendChange> members;
  NightChanges changes;
  bool is_new = false;  // a confirmed member is
};

/// Series that share a change are one event from this many on, when their changes lie within so
/// many days.
inline constexpr std::size_t fleet_size = 10;
inline constexpr std::int64_t fleet_days = 2;

/// Groups of indices of `days`, each a change's day of one series, that are one event: the span of
/// `fleet_days` days that holds most comes first, and what it holds belongs to no other. Every
/// index is in one group at most; groups are in order of their days.
std::vector<std::vector<std::size_t>> fleet_events(std::span<const std::int64_t> days);

/// A comparable environment that took the place of another: its times make series of their own.
struct EnvironmentStart {
  std::size_t night = 0;
  std::vector<std::string> facts;
  std::size_t cases = 0;        // with times on both sides
  std::optional<double> ratio;  // median over them of after / before, each a median of at most 14
                                // nights
};

struct DeviceTrend {
  NightlyDevice nights;  // what all of this stands on
  double least_step = 0;
  std::size_t series = 0;     // of times and of counted cases
  std::size_t too_short = 0;  // of times: of which nothing can be confirmed yet
  std::vector<EnvironmentStart> environments;
  std::vector<FleetEvent> fleet;
  std::vector<TrendChange> changes;  // those of no fleet event, confirmed or not, by night
  std::vector<TrendDrift> drifts;
  std::vector<TrendStop> stops;
  std::size_t older = 0;  // confirmed changes, drifts apart, that are not among these
};

DeviceTrend trend_of(NightlyDevice device, const TrendRules& rules);

/// What it is that changed for the worse or not, when so much else has.
inline TrendKind kind_of(const NightChanges& changes, bool worse) {
  if (!changes.environment.empty()) return TrendKind::environment;
  return worse ? TrendKind::regression : TrendKind::improvement;
}
/// Keeps the part of a series around its value `at`, the first of the new level.
void keep_recent(TrendChange& change, const std::vector<double>& values, std::size_t at);

/// What trend_of finds of one case.
struct CaseTrend {
  std::vector<TrendChange> changes;
  std::optional<TrendDrift> drift;
  std::optional<TrendStop> stop;
  bool too_short = false;
  std::size_t older = 0;
};

/// `rules.least_step` is there.
CaseTrend trend_of_times(const NightlyDevice& device, const NightlyCase& one,
                         const std::set<std::string>& restless, const TrendRules& rules);
/// Counts change when they change.
CaseTrend trend_of_counts(const NightlyDevice& device, const NightlyCase& one,
                          const std::set<std::string>& restless, const TrendRules& rules);

/// Whether it is new, confirmed, and for the worse: what fails a night.
bool fails(const TrendChange& change);
bool fails(const FleetEvent& event);
bool fails(const TrendDrift& drift);
bool fails(const TrendStop& stop);

}  // namespace ridgeline::analysis
