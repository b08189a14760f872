#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "harness/stats/step_looks.hpp"

/// What a series has shown of its noise, with a yardstick of its own for every length of evidence:
/// a move is held against the moves of the same length that this series made before. In white noise
/// long moves are small, so that small steps show after a week or two; in wander they are large,
/// but a doubling is still unlike any move of two nights.
namespace ridgeline::stats {

/// Nights that noise is learned from, the last ones.
inline constexpr std::size_t noise_memory = 180;
/// Standard deviation of logs that no noise is taken to be below: closer than any clock reads.
inline constexpr double least_sd = 2e-4;

/// A series, and the levels in it that are known.
struct Levels {
  std::vector<double> values;
  std::vector<std::size_t> starts{0};  // first nights, ascending; one may be the next night's

  /// Differences of nights `lag` apart, of which the later one is in [from, to) and both are of one
  /// level; `split` is the first night of one more.
  std::vector<double> differences(std::size_t lag, std::size_t from, std::size_t to,
                                  std::optional<std::size_t> split = {}) const;
};

struct StepNoise {
  std::size_t nights = 0;            // how many there were when this was known
  std::size_t differences = 1;       // of neighbours that it comes from
  double sd = 0;                     // of one night, by the differences of neighbours
  double phi = 0;                    // how much of a deviation the next night keeps: 0 to 1
  double tick = 0;                   // what values are rounded to, as far as is known or shows
  std::vector<double> move_sd;       // of the moves of each look
  std::vector<double> move_freedom;  // independent moves that this is known from, the model's among
                                     // them
};

/// What a series has told of its noise until one night. Little of it is asked for on most nights:
/// the rest is found when it is, from the same nights. Until then `levels` and `moves` may only
/// grow by later nights, and levels that begin on these.
class KnownNoise {
 public:
  /// What the last nights of `levels` tell, known from `known_from` nights on. `tick`: of the
  /// clock, in logs; 0 where it is not known. With `split`, as if a level began there.
  KnownNoise(const Levels& levels, const Moves& moves, std::size_t known_from, double tick,
             std::optional<std::size_t> split = {});

  std::size_t nights() const { return noise_.nights; }
  std::size_t differences() const { return noise_.differences; }
  double sd() const { return noise_.sd; }
  double tick() const { return noise_.tick; }
  /// What move_sd() of a look is at least.
  double least_move_sd(const Look& look) const;
  double move_sd(const Levels& levels, const Moves& moves, std::size_t look);
  const StepNoise& whole(const Levels& levels, const Moves& moves);

 private:
  /// Variances of nights apart, and what a model makes of them.
  struct Model {
    double v7, feared_phi;  // what phi may be in truth, after so few nights
    bool weekly;            // what happens every week is most of the noise
  };
  std::vector<double> differences(const Levels& levels, std::size_t lag) const;
  void learn_model(const Levels& levels);
  void learn_moves(const Levels& levels, const Moves& moves, std::size_t look);

  std::size_t seen_, moved_;  // nights and moves that it comes from
  std::optional<std::size_t> split_;
  double v1_ = 0;
  std::optional<Model> model_;
  StepNoise noise_;  // phi with the model; moves that were not asked for are 0
};

}  // namespace ridgeline::stats
