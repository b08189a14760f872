#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/analysis/change_cause.hpp"
#include "harness/analysis/night_changes.hpp"
#include "harness/analysis/nightly_series.hpp"
#include "harness/record/told.hpp"
#include "harness/stats/interval.hpp"

/// What changed over the nights of a device, and since when.
namespace ridgeline::analysis {

/// Nights before and behind a change that a sparkline shows.
inline constexpr std::size_t sparkline_reach = 30;

struct TrendRules {
  std::optional<double> least_step;  // relative; absent: least_step_of the device's kind
  std::size_t new_nights = 1;        // what was told on the last so many nights is new
  std::size_t shown_nights = 90;     // what is older is counted, no more
  double tick_ns = 0;                // of the clock that times samples; 0: not known
};

/// The smallest change of a case's level that counts on a kind of device, unless told otherwise.
double least_step_of(DeviceKind kind);

/// So often a case must have been missing when it was due to have stopped.
inline constexpr std::size_t stopped_nights = 3;
/// Nights without a time from which on a case has stopped that had a time on `nights`, ascending:
/// three for one of every night, three weeks for one of every week. Two nights more than it has
/// stayed away before, of its last ten times; the longest absence counts only when it was not the
/// only one.
std::size_t stopping_silence(std::span<const std::uint32_t> nights);

/// Nights of an environment from which on a change of times can be told at all.
inline constexpr std::size_t least_told_nights = 5;

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

/// What a change of times was told by: the mean of the first `nights` nights of the new level was
/// `score` times as far from that of the `before` nights before as was needed, 1 or more.
struct Evidence {
  std::size_t nights = 0, before = 0;
  double score = 0;
};

/// What is stored of a finding when it is told now; standing.cpp says when it is which.
enum class Retelling {
  none,      // it stays as it is stored
  known,     // found, and nothing that this night tells
  told,      // new as of this night
  joined,    // of a fleet event that was told, and told with it
  resolved,  // undone
  reopened,  // it was told to be over, and is not
};

/// What was told of a finding before, and what people said of it; standing.hpp finds it out.
struct Standing {
  std::string label{};                 // what people call it by; empty until it was looked up
  std::optional<record::Told> told{};  // as it is stored; absent of what never was
  Retelling retelling = Retelling::none;
  bool quiet = false;                   // it fails no night, whatever it is
  std::optional<std::size_t> undone{};  // the night on which it was told that the level before it
                                        // is back

  bool is(record::ToldState state) const { return told && told->state == state; }
};

/// Nights are those of NightlyDevice::nights.
struct TrendChange {
  std::string case_name;
  TrendKind kind = TrendKind::regression;
  std::size_t night = 0;                      // the first of the new level
  std::size_t earliest = 0, latest = 0;       // where that may be as well
  std::optional<std::size_t> night_before{};  // that its series had before `earliest`
  double before = 0, after = 0;               // the levels: ns, or the metric's values
  std::optional<stats::Interval> ratio;  // 95%, of after / before; absent for counts, which are
                                         // exact, and where only many cases together tell it
  std::string metric, unit;  // of the count that changed most, in its direction; empty for times
  std::size_t other_metrics = 0;      // that changed with it
  std::optional<std::size_t> raised;  // the night it was told on
  std::optional<KnownChange> known;   // as it was then; absent for counts
  std::optional<std::size_t> undone;  // the night on which it was told that the level before it is
                                      // back, within two weeks
  std::optional<std::size_t> undoes;  // the first night of the level that it ends in this way
  bool ends_spell = false;  // that level was one of a few nights, and it is no slower than before
                            // it
  bool mode = false;    // of times: to and fro between two levels that were told before; shown, but
                        // never new
  bool shared = false;  // first told by many cases together, before this one would have been
  std::optional<Evidence> evidence;  // absent for counts, which are exact
  bool is_new = false;
  NightChanges changes;        // from the night before `earliest` to `latest`
  std::vector<double> recent;  // the series around it, for a sparkline: ns or values
  std::size_t marked = 0;      // where in `recent` the new level begins
  std::string environment;     // hash of the series' own; empty of counts
  bool worse = false;          // slower, or a count for the worse
  std::optional<Why> why;      // once it is explained
  Standing standing{};
};

struct TrendDrift {
  std::string case_name;
  std::size_t from = 0;   // the first night of its span
  std::size_t last = 0;   // the night on which it was seen last: tonight, while it goes on
  double ratio = 1;       // of the end of the span over its beginning
  stats::Interval range;  // 95%
  bool is_new = false;
  std::vector<double> recent;
  NightChanges changes;        // over the span that was known when it was told
  std::size_t raised = 0;      // the night it was told on
  std::size_t known_from = 0;  // the first night of its span, as it was then
  std::string environment{};   // hash of the series' own
  std::optional<Why> why{};    // once it is explained
  Standing standing{};
};

/// The case that goes on under another name.
struct Continuation {
  std::string case_name;
  std::size_t first = 0;  // its first night
  std::vector<std::string> evidence;
};

struct TrendStop {
  std::string case_name;
  std::size_t last = 0;                       // the last night with a time
  std::optional<record::Outcome> since_then;  // how its latest measurement ended; absent when there
                                              // was none
  bool is_new = false;
  std::optional<Continuation> continued_by{};  // when it was renamed: it has not stopped
  Standing standing{};
  std::size_t raised = 0;  // the night from which on it counts as stopped
};

/// How many nights after `night` were not cut short: on which a case that is missing was missed.
std::size_t whole_nights_after(const NightlyDevice& device, std::size_t night);

/// Changes of one kind that many series share: in one direction, or with the environment in both.
struct FleetEvent {
  TrendKind kind = TrendKind::regression;
  std::size_t night = 0;  // the median of its changes'
  std::size_t slower = 0, faster = 0;
  double ratio = 1;  // median of after / before
  std::vector<TrendChange> members;
  NightChanges changes;  // those of most members
  bool is_new = false;   // a member is
  std::optional<Why> why;
  Standing standing{};  // of all members
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
  std::size_t too_short = 0;  // of times: of which nothing can be told yet
  std::vector<EnvironmentStart> environments;
  std::vector<FleetEvent> fleet;
  std::vector<TrendChange> changes;  // those of no fleet event, by night
  std::vector<TrendDrift> drifts;
  std::vector<TrendStop> stops;
  std::size_t older = 0;             // changes and drifts that are not among these
  std::vector<record::Told> gone{};  // told once, and not found any more
  std::vector<std::pair<record::Told, std::string>> over{};  // told before the nights that are
                                                             // shown, and why that is over
  std::optional<std::int64_t> silent_days{};  // since its last night, when that is long for it
};

DeviceTrend trend_of(NightlyDevice device, const TrendRules& rules);

/// Finds what the changes and drifts of `trend` come from, and with it of which kind they are.
/// Throws a store Error when the runs on both sides cannot be read.
void explain(DeviceTrend& trend);
/// Adds what no case tells by itself yet, but many of one environment together: the median over the
/// cases is watched as a case is. Its changes belong to each case that moved at least half as far,
/// if these are enough for a fleet event; what a case tells by itself later is not new again.
void add_shared_changes(DeviceTrend& trend, const TrendRules& rules);
/// Takes the changes that many series share out of `trend.changes`. Those of each kind are events
/// of their own, so that no change of one kind hides among those of another or makes up their
/// number.
void gather_fleet_events(DeviceTrend& trend);
/// The cases of `device` that have stopped, and of which another is told to be the new name.
std::vector<TrendStop> stops_of(const NightlyDevice& device, const TrendRules& rules);

/// Keeps the part of a series around its value `at`, the first of the new level.
void keep_recent(TrendChange& change, const std::vector<double>& values, std::size_t at);

/// What trend_of finds of one case.
struct CaseTrend {
  std::vector<TrendChange> changes;
  std::vector<TrendDrift> drifts;  // by their first night, of each environment
  bool too_short = false;
  std::size_t older = 0;
};

/// Not explained yet. `rules.least_step` is there.
CaseTrend trend_of_times(const NightlyDevice& device, const NightlyCase& one,
                         const TrendRules& rules);
/// Counts change when they change. Not explained yet.
CaseTrend trend_of_counts(const NightlyDevice& device, const NightlyCase& one,
                          const TrendRules& rules);

/// Whether it fails no night: noise that leads to a level that the case had before, or the end of a
/// spell.
bool is_excused(const TrendChange& change);

/// Whether it is new, for the worse, not excused and not quiet: what fails a night.
bool fails(const TrendChange& change);
bool fails(const FleetEvent& event);
bool fails(const TrendDrift& drift);
bool fails(const TrendStop& stop);

}  // namespace ridgeline::analysis
