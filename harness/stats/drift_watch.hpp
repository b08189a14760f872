#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "harness/stats/interval.hpp"
#include "harness/stats/step_watch.hpp"

/// Slow changes, which no single night shows.
namespace ridgeline::stats {

/// Nights that a drift is looked for in: a slow one, and a steep one.
inline constexpr std::size_t drift_nights = 90, steep_nights = 42;

/// Median of the slopes between all pairs of values, which are one apart (P. Sen: Estimates of the
/// regression coefficient based on Kendall's tau, Journal of the American Statistical Association
/// 63 (1968), doi:10.1080/01621459.1968.10480934). Takes time and memory of the number of values
/// squared. Throws Error for fewer than 2 values.
double theil_sen_slope(std::span<const double> values);

struct Drift {
  std::size_t begin = 0;  // the value from which on
  double total = 0;       // until the last value
  Interval range;         // 95%
};

/// The slow drift in drift_nights `values`: a line that amounts to `least_step` or more and to many
/// standard errors in such noise, in both halves the same way, and that fits better than any single
/// step does. Throws Error for another number of values.
std::optional<Drift> slow_drift(std::span<const double> values, const StepNoise& noise,
                                double least_step);

/// The steep drift in the last steep_nights that `watch` had: unlike the moves of two weeks that
/// were known before them, and no step.
std::optional<Drift> steep_drift(const StepWatch& watch, double least_step);

/// Tells drifts of a series beside the steps that a StepWatch tells, likewise by the past alone.
class DriftWatch {
 public:
  /// Looks at the night that `watch` had last. Returns whether a drift was told: one that three
  /// nights running had, while none such was told and has gone on since. One that goes on is told
  /// again when all of it lies behind the night that told it.
  bool add(const StepWatch& watch, double least_step);

  struct Told {
    Drift drift;            // as it was seen last
    std::size_t begin = 0;  // the value from which on, as it was seen when it was told
    std::size_t told = 0;   // how many nights there were then
    std::size_t until = 0;  // likewise, when it was seen last
  };
  /// All that were told, in that order.
  std::span<const Told> told() const { return told_; }
  /// That of tonight, if it was told.
  std::optional<Told> tonight() const;

 private:
  std::optional<Drift> last_;  // of the last night
  std::size_t nights_ = 0;     // so far
  std::size_t running_ = 0;    // nights with a drift of this direction, until the last
  std::vector<Told> told_;
};

}  // namespace ridgeline::stats
