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
  double tick = 0;                   // what values are rounded to; 0 when that does not show
  std::vector<double> move_sd;       // of the moves of each look
  std::vector<double> move_freedom;  // independent moves that this is known from, the model's among
                                     // them
};

/// What the last nights of `levels` tell, known from `known_from` nights on. `tick`: of the clock,
/// in logs, where it is known. With `split`, as if a level began there.
StepNoise learn_noise(const Levels& levels, const Moves& moves, std::size_t known_from, double tick,
                      std::optional<std::size_t> split = {});

}  // namespace ridgeline::stats
