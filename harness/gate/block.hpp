#pragma once

namespace ridgeline::gate {

/// A gate's budget affords every case about so many rounds: with fewer, small effects could not be told.
inline constexpr double affordable_rounds = 18;

/// What a round of a case takes by its earlier rounds, on both sides together.
struct RoundCosts {
  double around_s = 0;  // wall time around sampling and warming up
  double sample_s = 0;  // of one sample of each side
};

/// How long one side of one round samples: long enough against what is around it, and for some samples, but no longer
/// than `share_s` of wall time leaves to sampling on both sides, and within `shortest_s` and some times that.
double block_s(double shortest_s, double share_s, const RoundCosts& costs);

}  // namespace ridgeline::gate
