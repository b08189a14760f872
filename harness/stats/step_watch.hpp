#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "harness/stats/step_looks.hpp"
#include "harness/stats/step_noise.hpp"
#include "harness/stats/step_place.hpp"

/// Watches a series that grows by a night at a time, and tells when its level has changed. What is
/// told on a night depends on that night and earlier ones alone, so it stays as it was told.
namespace ridgeline::stats {

struct WatchRules {
  double least_step = .01;  // of the values, which are logs of times: smaller steps do not count
  double tick = 0;          // of the clock, in logs; 0: not known
};

/// A step from one level to the next, as it was told.
struct LevelStep {
  std::size_t told = 0;               // how many nights there were
  std::size_t first = 0;              // the first night of the new level, as it was taken to be
  StepPlace place;                    // with the 7th and the 14th night of the level placed again
  double before = 0, after = 0;       // the levels, as they were known
  std::size_t look = 0;               // of looks(): the one that told it
  double score = 0;                   // the move, in times what was needed
  std::optional<std::size_t> undoes;  // the step that it takes back: its place in `steps()`
  std::optional<std::size_t> undone;  // how many nights there were when it was taken back
  bool faded = false;                 // it was, by no step
  bool mode = false;  // between two levels that the series went to and fro between before: one of
                      // its modes, and no news
  std::optional<std::size_t> slope;  // little by little since this night, and no step
};

class StepWatch {
 public:
  explicit StepWatch(WatchRules rules = {});

  /// Adds a night. Returns whether a step was told. Throws Error unless `value` is finite.
  bool add(double value);

  /// The nights that follow are read from a clock of another tick.
  void set_tick(double tick) { rules_.tick = tick; }

  /// What follows was measured in another environment: its level is no change, and its noise is
  /// taken to be as before until its own tells more.
  void boundary();

  std::span<const double> values() const { return levels_.values; }
  std::span<const LevelStep> steps() const { return steps_; }
  /// First nights of the levels, the first one 0; one may be the next night's.
  std::span<const std::size_t> level_starts() const { return levels_.starts; }
  /// The first night of this environment, or of the last step in it that was no slope.
  std::size_t steady_from() const;
  /// As it is known tonight; absent before the fourth night.
  std::optional<StepNoise> noise() const;
  /// Whether the mean of the last `length` nights is farther from the mean of the first ones of the
  /// last `span` than `least`, and than `deviations` standard deviations of such neighbouring
  /// means, as they were known before these nights; early on, after the first `span`. Throws Error
  /// unless there are so many nights, and unless looks() have moves between two times `length`
  /// nights.
  bool has_moved(std::size_t span, std::size_t length, double deviations, double least) const;
  /// How large steps()[which] is, by the nights so far and the noise that was known when its level
  /// had four weeks; of one that faded, as it was told.
  StepSize size_of(std::size_t which) const;
  /// From the level of the week before night `begin` to that of the last week before night `end`,
  /// by the noise that was known then. Throws Error unless there are nights before both, and some
  /// between them.
  StepSize size_between(std::size_t begin, std::size_t end) const;

 private:
  struct Visit {  // a level that was left again for the one before it
    std::size_t night, length;
    double size;
  };
  struct Found {
    std::size_t look = 0;
    double score = 1;
  };
  /// The largest move of its look so far, by the nights before `until`.
  struct Record {
    double size = 0;
    std::size_t until = 0;
  };

  std::optional<Found> best_look();
  std::optional<Found> look_behind_two_nights();
  KnownNoise& known_before(std::size_t night) const;
  const StepNoise& known_now() const { return known_.back().whole(levels_, moves_); }
  double needed(std::size_t look, KnownNoise& noise);
  std::optional<double> needed_of_a_fortnight(std::size_t look, const KnownNoise& noise);
  double record_of(std::size_t look, std::size_t first);
  bool comes_by_chance(std::size_t look) const;
  double loudness(std::size_t first, double usual_sd) const;
  void learn(std::size_t known_from, std::optional<std::size_t> at = {});
  void settle();
  void tell(const Found& found);
  std::optional<std::size_t> slope_until(const Look& look) const;
  bool goes_to_and_fro(const LevelStep& step) const;
  bool has_faded(const LevelStep& step) const;
  std::size_t stay_of(const LevelStep& step) const;
  void take_back(LevelStep& step);

  WatchRules rules_;
  Levels levels_;
  Moves moves_;
  mutable std::vector<KnownNoise> known_;  // by nights; what was not asked for yet is found then
  std::vector<Record> records_;            // by look
  std::vector<LevelStep> steps_;
  std::vector<Visit> visits_;
  std::size_t boundary_ = 0;    // the first night of this environment
  std::size_t first_step_ = 0;  // of steps_: the first in it
};

}  // namespace ridgeline::stats
