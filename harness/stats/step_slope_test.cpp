#include "harness/stats/step_slope.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "harness/stats/noise_examples.hpp"

namespace ridgeline::stats {
namespace step_slope_test {

using examples::Nights;

Nights with_slope(Nights nights, std::size_t begin, double a_night) {
  for (std::size_t i = begin; i < nights.size(); ++i)
    nights[i] += a_night * static_cast<double>(i - begin);
  return nights;
}

TEST(StepSlope, IsFoundWhereItBegins) {
  const auto exact = slope_of(with_slope(Nights(40, 7), 25, .5), 7);
  ASSERT_TRUE(exact.has_value());
  EXPECT_EQ(exact->begin, 25u);
  EXPECT_NEAR(exact->a_night, .5, 1e-9);
  const auto whole = slope_of(with_slope(Nights(40, 7), 0, -.5), 7);
  ASSERT_TRUE(whole.has_value());
  EXPECT_EQ(whole->begin, 0u);
  EXPECT_NEAR(whole->a_night, -.5, 1e-9);
}

TEST(StepSlope, IsSeldomSeenInAStep) {
  int taken = 0;
  for (std::uint32_t seed = 0; seed < 200; ++seed)
    taken += slope_of(examples::step(examples::noise(500 + seed, 42, .01), 35, .026), 7) ? 1 : 0;
  EXPECT_LE(taken, 6) << "a step that is just large enough to be told after a week";
}

TEST(StepSlope, IsSeldomSeenInStepsOfTheLastNights) {
  int taken = 0;
  for (const std::size_t second : {38, 39})
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
      const Nights nights = examples::step(
          examples::step(examples::noise(500 + seed, 40, .005), 37, .05), second, .1);
      taken += slope_of(nights, 5) ? 1 : 0;
    }
  EXPECT_LE(taken, 1);
}

TEST(StepSlope, IsMostlySeenInOne) {
  int found = 0;
  for (std::uint32_t seed = 0; seed < 200; ++seed)
    found += slope_of(with_slope(examples::noise(800 + seed, 42, .01), 14, .004), 7) ? 1 : 0;
  EXPECT_GE(found, 180);
}

TEST(StepSlope, OfFewValuesOrOfEqualOnesIsNone) {
  EXPECT_FALSE(slope_of({}, 7));
  EXPECT_FALSE(slope_of(with_slope(Nights(13, 0), 0, 1), 7));
  EXPECT_FALSE(slope_of(examples::step(Nights(40, 0), 20, 1), 7));
}

}  // namespace step_slope_test
}  // namespace ridgeline::stats
