#pragma once

#include <optional>
#include <span>

#include "harness/record/gate.hpp"

/// What a gate's pairs can find, and what they hint at without proving it. Differences are log
/// ratios, and so are delta and effects.
namespace ridgeline::analysis {

/// Pairs below which no slow-down of any size is a regression at `level`: n coins fall alike with
/// the chance 2^-n.
int least_pairs(double level);

/// The smallest slow-down that one test of `pairs` pairs at `level` finds with 80% power, when the
/// differences scatter with the standard deviation `sd`: about. Infinite where no size can be
/// found. `shift` as of GatePlan.
double smallest_found(int pairs, double sd, double delta, double shift, double level);

/// Standard deviation of differences, rather too large than too small: robust from 8 on. Absent
/// below 3.
std::optional<double> scatter(std::span<const double> differences);

/// Where doubts begin: p of the test over all cases, p of a ratio above `much_slower`, p over all
/// cases of few values that lie together, which are above `slower_in_few` where they are very few.
/// Of values that are too few for any p, each is above `times_slower`.
inline constexpr double exact_doubt_p = 0.05, seems_slower_p = 0.025, cluster_p = 0.01;
inline constexpr double much_slower = 1.25, slower_in_few = 1.5, times_slower = 4;

/// What speaks for a slow-down above delta in a case that could not be decided, of `cases`. These
/// rules keep gates of equal sides below one in twenty on noise as machines make it, which "the
/// interval lies above delta" does not (docs/statistics.md).
std::optional<record::Doubt> doubt_of(std::span<const double> differences, double delta, int cases);

/// About how many more pairs would show what these differences hint at, at `level`; absent where
/// they do not hint at a slow-down above delta.
std::optional<int> more_pairs(std::span<const double> differences, double delta, double shift,
                              double level);

}  // namespace ridgeline::analysis
