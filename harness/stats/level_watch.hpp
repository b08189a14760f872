#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "harness/stats/interval.hpp"
#include "harness/stats/level_search.hpp"

/// What may be said of a series that grows by a value a night: which changes of its level are more
/// than noise, and since when that could be known. A search finds a point in the first analysis
/// that it fits, and may drop it in the next; a point is confirmed once several analyses running
/// have had it.
namespace ridgeline::stats {

struct WatchRules {
  double least_step = 0.01;  // of the values, which are logs of times: smaller changes of level do
                             // not count
  std::size_t least_values = 60;  // before them nothing is confirmed: the noise is not known well
                                  // enough
  std::size_t running = 3;        // analyses of successive nights that must have a point
  std::size_t near = 3;           // how many values apart their locations may be
  std::size_t oldest = 60;        // a point that is only found when it is older than this is never
                                  // confirmed anew
  std::size_t apart = 7;  // confirmed points are farther apart than this, or they are the same one
  std::size_t drift_values = 90;    // that a drift is looked for in
  double drift_significance = 4.5;  // standard errors that it amounts to at least
};

/// A change from one level to the next, both medians.
struct LevelChange {
  std::size_t at = 0;                    // the first value of the new level
  std::size_t earliest = 0, latest = 0;  // where it may as well be: LevelSearch::location
  double before = 0, after = 0;
  Interval step;  // 95%, of after - before
  bool confirmed = false;
  std::optional<std::size_t> raised;  // how many values there were when it was first confirmed;
                                      // absent when long ago
};

/// A slow change that no single night shows: a line fits it, and better than any single step.
struct Drift {
  double total = 0;    // over WatchRules::drift_values
  Interval range;      // 95%
  std::size_t raised;  // how many values there were when it was first confirmed, or 70 values ago
                       // at the most
};

struct Watched {
  SeriesNoise noise;
  std::vector<LevelChange> changes;  // in today's analysis, ascending
  std::optional<Drift> drift;        // when no confirmed change is in its values
};

/// Median of the slopes between all pairs of values, which are one apart (P. Sen: Estimates of the
/// regression coefficient based on Kendall's tau, Journal of the American Statistical Association
/// 63 (1968), doi:10.1080/01621459.1968.10480934). Takes time and memory of the number of values
/// squared. Throws Error for fewer than 2 values.
double theil_sen_slope(std::span<const double> values);

/// What the analysis of `values` says today. The noise is that of the whole weeks of two years, so
/// that it does not change every night; today's search is replayed for the last nights to see which
/// of its points were there before. `known` is the noise of a longer series of the same kind, for
/// one with too few values of its own. Throws Error when a value is not finite.
Watched watch(std::span<const double> values, const WatchRules& rules,
              std::optional<SeriesNoise> known = {});

}  // namespace ridgeline::stats
