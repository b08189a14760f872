#include <algorithm>
#include <cmath>
#include <span>

#include "harness/analysis/trend.hpp"
#include "harness/stats/level_watch.hpp"

namespace ridgeline::analysis {
namespace {

/// The analyses of one series, tonight's and those of earlier nights as they are asked for.
class Analyses {
 public:
  Analyses(const NightlyDevice& device, const NightlyTimes& times, const stats::WatchRules& rules,
           std::optional<stats::SeriesNoise> known)
      : device_(device), times_(times), rules_(rules), known_(known) {
    for (const double ns : times.median_ns) logs_.push_back(std::log(ns));
    tonight_ = stats::watch(logs_, rules_, known_);
  }

  const stats::Watched& tonight() const { return tonight_; }

  /// Whether `holds` of the analysis of `nights` nights ago, or of one of nine before it, a week
  /// apart: what is found, lost and found again is not new.
  template <class Holds>
  bool held(std::size_t nights, Holds&& holds) {
    for (std::size_t week = 0; week < 10; ++week) {
      const std::size_t ago = nights + 7 * week;
      if (ago >= device_.nights.size()) return false;
      const auto count = static_cast<std::size_t>(
          std::ranges::lower_bound(times_.nights, device_.nights.size() - ago) -
          times_.nights.begin());
      if (count == logs_.size()) {
        if (holds(tonight_)) return true;
        continue;
      }
      while (earlier_.size() <= week) earlier_.emplace_back();
      if (!earlier_[week]) earlier_[week] = earlier_analysis(count);
      if (holds(*earlier_[week])) return true;
    }
    return false;
  }

 private:
  /// Of the first `count` values; of a long series the last two years of them, in whole weeks, from
  /// which the noise comes.
  stats::Watched earlier_analysis(std::size_t count) const {
    constexpr std::size_t most = std::size_t{106} * 7;
    const std::size_t begin = count > most ? (count - most) / 7 * 7 : 0;
    stats::Watched watched =
        stats::watch(std::span(logs_).subspan(begin, count - begin), rules_, known_);
    for (stats::LevelChange& change : watched.changes) change.at += begin;
    return watched;
  }

  const NightlyDevice& device_;
  const NightlyTimes& times_;
  stats::WatchRules rules_;
  std::optional<stats::SeriesNoise> known_;
  std::vector<double> logs_;
  stats::Watched tonight_;
  std::vector<std::optional<stats::Watched>> earlier_;  // by week
};

TrendChange change_of(const NightlyDevice& device, const std::string& name,
                      const NightlyTimes& times, const stats::LevelChange& level,
                      const std::set<std::string>& restless) {
  TrendChange change;
  change.case_name = name;
  change.night = times.nights[level.at];
  change.earliest = times.nights[level.earliest];
  change.latest = times.nights[level.latest];
  change.before = std::exp(level.before);
  change.after = std::exp(level.after);
  change.ratio = {std::exp(level.step.low), std::exp(level.step.high)};
  change.unit = "ns";
  change.confirmed = level.confirmed;
  if (level.raised) change.raised = times.nights[*level.raised - 1];
  change.changes =
      changes_between(device, restless, times.nights[level.earliest - 1], change.latest);
  change.kind = kind_of(change.changes, level.after > level.before);
  keep_recent(change, times.median_ns, level.at);
  return change;
}

}  // namespace

CaseTrend trend_of_times(const NightlyDevice& device, const NightlyCase& one,
                         const std::set<std::string>& restless, const TrendRules& rules) {
  CaseTrend trend;
  stats::WatchRules watching;
  watching.least_step = std::log1p(rules.least_step.value());
  const std::size_t tonight = device.nights.size() - 1;
  std::optional<stats::SeriesNoise> known;  // of an earlier environment, for a later one that is
                                            // still short
  for (const NightlyTimes& times : one.times) {
    Analyses analyses(device, times, watching, known);
    const stats::Watched& watched = analyses.tonight();
    const std::size_t count = times.nights.size();
    trend.too_short = count < watching.least_values && !known;
    for (const stats::LevelChange& level : watched.changes) {
      if (times.nights[level.at] + rules.shown_nights <= tonight) {
        trend.older += level.confirmed ? 1 : 0;
        continue;
      }
      TrendChange& change =
          trend.changes.emplace_back(change_of(device, one.name, times, level, restless));
      // What is old was there in earlier analyses, or no analysis of its time could have confirmed
      // it.
      if (!level.confirmed || !level.raised) continue;
      change.is_new = !analyses.held(rules.new_nights, [&](const stats::Watched& earlier) {
        return std::ranges::any_of(earlier.changes, [&](const stats::LevelChange& other) {
          return other.confirmed && other.at + watching.apart >= level.at &&
                 level.at + watching.apart >= other.at;
        });
      });
    }
    const bool goes_on = times.nights.back() + stopped_nights > tonight;
    if (watched.drift && goes_on) {
      const stats::Drift& found = *watched.drift;
      TrendDrift& drift = trend.drift.emplace();
      const std::size_t begin = count - watching.drift_values;
      drift.case_name = one.name;
      drift.from = times.nights[begin];
      drift.ratio = std::exp(found.total);
      drift.range = {std::exp(found.range.low), std::exp(found.range.high)};
      drift.recent.assign(times.median_ns.begin() + static_cast<std::ptrdiff_t>(begin),
                          times.median_ns.end());
      drift.changes = changes_between(device, restless, drift.from, times.nights.back());
      drift.is_new = !analyses.held(rules.new_nights, [&](const stats::Watched& earlier) {
        return earlier.drift && earlier.drift->total * found.total > 0;
      });
    }
    if (count >= watching.least_values) known = watched.noise;
  }
  return trend;
}

}  // namespace ridgeline::analysis
