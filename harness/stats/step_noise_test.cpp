#include "harness/stats/step_noise.hpp"

#include <gtest/gtest.h>

#include "harness/stats/noise_examples.hpp"

namespace ridgeline::stats {
namespace step_noise_test {

using examples::Nights;

StepNoise learned(const Levels& levels, std::optional<std::size_t> split = {}) {
  Moves moves;
  for (std::size_t n = 1; n <= levels.values.size(); ++n)
    moves.add(std::span(levels.values).first(n), 0, .01);
  return KnownNoise(levels, moves, levels.values.size(), 0, split).whole(levels, moves);
}

TEST(Levels, DifferencesCrossNoChange) {
  const Levels levels{{1, 2, 4, 14, 15, 17}, {0, 3}};
  EXPECT_EQ(levels.differences(1, 0, 6), (Nights{2, 1, 2, 1}));
  EXPECT_EQ(levels.differences(2, 0, 6), (Nights{3, 3}));
  EXPECT_EQ(levels.differences(1, 5, 6), (Nights{2})) << "those that end there";
  EXPECT_EQ(levels.differences(1, 0, 6, 5), (Nights{1, 2, 1})) << "as if one more began at 5";
  EXPECT_TRUE(levels.differences(7, 0, 6).empty());
}

TEST(StepNoise, AStepThatIsKnownIsNoNoise) {
  const Nights quiet = examples::noise(41, 100, .01), nights = examples::step(quiet, 50, .5);
  const StepNoise without = learned({quiet, {0}});
  const StepNoise known = learned({nights, {0, 50}}), split = learned({nights, {0}}, 50);
  for (const StepNoise& noise : {known, split}) {
    EXPECT_NEAR(noise.sd, without.sd, .03 * without.sd);
    EXPECT_NEAR(noise.phi, without.phi, .1);
  }
  EXPECT_EQ(split.differences, 98u);
  EXPECT_GT(learned({nights, {0}}).move_sd.back(), 2 * without.move_sd.back())
      << "one that is not known";
}

TEST(StepNoise, LongMovesAreSmallInWhiteNoiseAndLargeInWander) {
  const Nights white = examples::noise(42, 180, .01);
  const StepNoise of_white = learned({white, {0}}),
                  of_walk = learned({examples::random_walk(white), {0}});
  EXPECT_NEAR(of_walk.phi, 1, .15);
  EXPECT_LT(of_white.phi, .2);
  const std::size_t shortest = 0, longest = looks().size() - 1;
  EXPECT_LT(of_white.move_sd[longest], of_white.move_sd[shortest]);
  EXPECT_GT(of_walk.move_sd[longest], 2 * of_walk.move_sd[shortest]);
}

TEST(StepNoise, FewNightsAreFearedToWanderMore) {
  const Nights nights = examples::noise(43, 150, .01);
  const StepNoise few = learned({Nights(nights.begin(), nights.begin() + 15), {0}}),
                  many = learned({nights, {0}});
  EXPECT_GT(few.move_sd.back(), 2 * many.move_sd.back());
}

TEST(StepNoise, OfEqualNightsIsTheLeast) {
  const StepNoise noise = learned({Nights(30, 1.5), {0}});
  EXPECT_DOUBLE_EQ(noise.sd, least_sd / std::sqrt(2.0));
  EXPECT_DOUBLE_EQ(noise.tick, 0);
}

}  // namespace step_noise_test
}  // namespace ridgeline::stats
