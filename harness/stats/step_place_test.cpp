#include "harness/stats/step_place.hpp"

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/stats/noise_examples.hpp"
#include "harness/stats/step_watch.hpp"

namespace ridgeline::stats {
namespace step_place_test {

using examples::Nights;

StepNoise of(double sd, double phi = 0) {
  StepNoise noise;
  noise.sd = sd;
  noise.phi = phi;
  noise.differences = 100;
  return noise;
}

TEST(StepPlace, IsFoundFromAGuessNearIt) {
  const Nights nights = examples::step(examples::noise(31, 60, .01), 30, .1);
  for (const std::size_t guess : {25u, 28u, 30u, 34u}) {
    const StepPlace place = place_step(nights, 0, guess, nights.size(), of(.01));
    EXPECT_EQ(place.at, 30u) << guess;
    EXPECT_GE(place.earliest, 29u);
    EXPECT_LE(place.earliest, 30u);
    EXPECT_EQ(place.latest, 30u);
  }
}

TEST(StepPlace, IsLessSureOfASmallStep) {
  const Nights nights = examples::step(examples::noise(32, 60, .01), 30, .025);
  const StepPlace place = place_step(nights, 0, 30, nights.size(), of(.01));
  EXPECT_LE(place.earliest, 30u);
  EXPECT_GE(place.latest, 30u);
  EXPECT_GT(place.latest - place.earliest, 0u);
}

TEST(StepPlace, StaysWithinItsLevels) {
  const Nights nights = examples::step(examples::noise(33, 20, .01), 12, .001);
  const StepPlace place = place_step(nights, 10, 12, 15, of(.01));
  EXPECT_GT(place.earliest, 10u);
  EXPECT_LT(place.latest, 15u);
}

TEST(StepSize, IsThatOfTheNightsThatVaryLeast) {
  const Nights nights = examples::step(examples::noise(34, 60, .01), 30, .1);
  const auto size_in = [&](double short_sd, double long_sd) {
    StepNoise noise = of(.01);
    for (const Look& look : looks()) {
      noise.move_sd.push_back(look.is_long() ? long_sd : short_sd);
      noise.move_freedom.push_back(100);
    }
    return size_step(nights, 0, 30, 60, noise);
  };
  const StepSize white = size_in(.01, .003), wander = size_in(.01, .05);
  EXPECT_NEAR(white.after - white.before, .1, .005) << "of many nights";
  EXPECT_NEAR(white.step.high - white.step.low, 2 * 1.984 * .003, 1e-5);
  EXPECT_NEAR(wander.after, (nights[30] + nights[31]) / 2, 1e-9) << "of two";
  EXPECT_NEAR(wander.step.high - wander.step.low, 2 * 1.984 * .01, 1e-5);
}

TEST(StepSize, OfFewNightsIsThatOfTheModel) {
  const Nights nights{0, .001, .1};
  const StepSize size = size_step(nights, 0, 2, 3, of(.001));
  EXPECT_NEAR(size.before, .0005, 1e-12);
  EXPECT_NEAR(size.after, .1, 1e-12);
  EXPECT_GT(size.step.high - size.step.low, .004);
  EXPECT_THROW(size_step(nights, 0, 0, 3, of(.001)), Error);
  EXPECT_THROW(size_step(nights, 0, 3, 3, of(.001)), Error);
}

TEST(StepSize, KnowsALevelToItsTick) {
  StepNoise noise = of(.001);
  const Nights nights = examples::step(Nights(60, 0), 30, .05);
  const StepSize fine = size_step(nights, 0, 30, 60, noise);
  noise.tick = .05;
  const StepSize coarse = size_step(nights, 0, 30, 60, noise);
  EXPECT_NEAR(coarse.step.high - fine.step.high, .049, 1e-9);
}

TEST(StepSize, HoldsTheTrueSizeAboutAsOftenAsItSays) {
  int held = 0;
  constexpr int series = 300;
  for (std::uint32_t seed = 0; seed < series; ++seed) {
    StepWatch watch;
    const Nights nights = examples::following(examples::noise(1000 + seed, 110, .01), .6, .8);
    for (const double night : examples::step(nights, 80, .2)) watch.add(night);
    for (std::size_t i = 0; i < watch.steps().size(); ++i) {
      if (watch.steps()[i].place.at != 80) continue;
      const Interval step = watch.size_of(i).step;
      held += step.low <= .2 && .2 <= step.high ? 1 : 0;
    }
  }
  EXPECT_GE(held, 93 * series / 100);
}

}  // namespace step_place_test
}  // namespace ridgeline::stats
