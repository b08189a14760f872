#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "harness/analysis/night_changes.hpp"
#include "harness/base/names.hpp"
#include "harness/store/series.hpp"

namespace ridgeline::analysis {

/// What a change most likely comes from, as far as what is stored can tell.
enum class TrendCause {
  code,         // the workers' code changed, and nothing else that is recorded
  method,       // the case was measured differently
  machine,      // the device, the system or a setting changed
  toolkit,      // the compiler, its flags, CUDA or a library changed
  noise,        // the case moves as far by itself, again and again
  unexplained,  // nothing that is recorded changed
};
inline std::span<const Name<TrendCause>> names(TrendCause) {
  static constexpr Name<TrendCause> causes[] = {
      {TrendCause::code, "code"},       {TrendCause::method, "method"},
      {TrendCause::machine, "machine"}, {TrendCause::toolkit, "toolkit"},
      {TrendCause::noise, "noise"},     {TrendCause::unexplained, "unexplained"}};
  return causes;
}
using ridgeline::to_string;

/// A cause with what speaks for it, in words.
struct Why {
  TrendCause cause = TrendCause::unexplained;
  std::vector<std::string> evidence;
  bool excused = false;  // noise, no more than 25%, and to a level that the case had before: no
                         // alarm
};

/// How a series has moved by itself before a change.
struct Habit {
  std::size_t moves = 0;   // at least a quarter as far as the change, up or down
  std::size_t nights = 0;  // in which they were counted
  double usual = 0;        // root of the mean square of the moves, as a log of a ratio
  bool far = true;         // the change is more than twice as large as that
  bool large = false;      // the change is one of more than 25%
  bool had_level = false;  // that the change leads to, or one beyond it, for as many nights
  bool mode = false;       // it goes to and fro between the same two levels: TrendChange::mode

  /// Whether the change is one of what the series does again and again.
  bool is_noise() const { return mode || (moves >= 3 && !far); }
};

/// Standard deviation of the log of one of these values, by their steps from one to the next, half
/// of which may be of something else; 0 for fewer than two values.
double spread_by_steps(std::span<const double> values);

/// Of the last 120 values before `at`, of a change that was told. A level counts as one that they
/// had when the median of as many as told the change, three at least, was there. A move is where
/// the medians of the three values before and from a place on are farther apart than the noise from
/// one night to the next makes them in one place of two thousand; where several places in a row
/// are, it is one, as large as the largest.
Habit habit_before(std::span<const double> values, std::size_t at, const KnownChange& change);

/// How many of the cases that were measured on both sides of a change moved with it, whether a
/// change of theirs is told or not; none where nobody counted.
struct Company {
  std::size_t moved = 0, cases = 0;
  /// Too few for what all of them have in common to be why.
  bool is_small() const { return 10 * moved < cases; }
};

/// What differs of the machine is why only when the code is the same, or the company is not small.
Why why_of(const NightChanges& changes, const Habit& habit, const Company& company = {});

/// How the cases of some runs were measured, read when it is asked for.
class Methods {
 public:
  /// `device` must outlive it; one without a file has no methods.
  explicit Methods(const NightlyDevice& device) : device_(device) {}

  /// Whether a case was measured in a run. Throws a store Error when the run cannot be read.
  bool has(const std::string& case_name, const std::string& run);
  /// By which workers. Likewise.
  std::set<std::string> workers(const std::string& case_name, const std::string& run);
  /// What differs in how `case_name` was measured in two runs, in words: "cache of the case cold ->
  /// hot". Throws a store Error when a run cannot be read.
  std::vector<std::string> changes(const std::string& case_name, const std::string& before_run,
                                   const std::string& after_run);

 private:
  const std::map<std::string, store::SeriesMethod>& of(const std::string& run);

  const NightlyDevice& device_;
  std::map<std::string, std::map<std::string, store::SeriesMethod>> read_;  // by run and case
};

}  // namespace ridgeline::analysis
