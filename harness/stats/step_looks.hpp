#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

/// How a new level shows in the nights of a series: looks of several lengths at its first nights
/// against the nights before them. Large moves are judged by few nights and small ones by many.
namespace ridgeline::stats {

/// The mean of the first `after` nights of a new level against that of the `before` nights before
/// it, taken once `seen` nights of it are there.
struct Look {
  std::size_t after, before, seen;
  double deviations;  // standard deviations of this move that are needed
  double nights;      // standard deviations of a single night that are needed
  /// A look of a week or more, at small moves.
  bool is_long() const { return after >= 7; }
  /// Whether it waits for a week.
  bool is_seen_long() const { return seen >= 7; }
  bool is_of_a_fortnight() const { return after == 14; }
};

/// Those of equal `after` and `before` are neighbours.
std::span<const Look> looks();

/// Where there is no move: too few nights, or a change among them.
inline constexpr double no_move = std::numeric_limits<double>::quiet_NaN();

/// The moves of a series that grows by a night at a time, by look and last night.
class Moves {
 public:
  Moves();

  /// Adds the last of `values`, the nights so far. Moves reach back to `level_start` at most, the
  /// first night of the present level. `sd`: of a night, as it is known.
  void add(std::span<const double> values, std::size_t level_start, double sd);

  /// Takes those of all looks away that reach across a level that begins at `at`.
  void forget_across(std::size_t at);

  /// How many nights were added.
  std::size_t nights() const { return sds_.size(); }

  /// What the mean of the last `size` nights before night `end` was when it was taken, clamped with
  /// the `sd` that was known then. Only of a `size` that looks() have, and of so many nights.
  struct Mean {
    double mean, sd;
  };
  Mean mean(std::size_t size, std::size_t end) const;

  /// How far the means of `size` nights in a row are apart at most, of nights [from, to): means as
  /// they were taken. Only of a `size` that looks() have, and of so many nights or more.
  double range(std::size_t size, std::size_t from, std::size_t to) const;

  /// The move of `look` whose last night is `night`; no_move where there is none.
  double move(std::size_t look, std::size_t night) const {
    return moves_[night * places_.size() + look];
  }
  /// As much of it as nearly all of its nights agree to, on both sides; with its sign, or 0. It
  /// takes longer, and is no larger.
  double backed(std::size_t look, std::size_t night) const;

 private:
  /// The last so many nights: their mean, and their lowest and highest but for those that may be
  /// off; of the nights before a level more of them may.
  struct Window {
    double mean = no_move, low = no_move, high = no_move, base_low = no_move, base_high = no_move;
  };
  struct Windows {
    std::size_t size;
    std::vector<double> ascending;  // the last `size` nights
    std::vector<Window> by_night;
  };
  std::size_t place_of(std::size_t size) const;  // in windows_
  struct Places {
    std::size_t after, before, seen;
  };

  std::vector<Windows> windows_;
  std::vector<Places> places_;             // by look, where its windows are
  std::size_t weeks_ = 0;                  // where those of a week are
  std::vector<double> sds_;                // by night, as they were known
  std::vector<std::size_t> level_starts_;  // by night, likewise
  std::vector<double> moves_;              // by night, and in it by look
};

}  // namespace ridgeline::stats
