#include "harness/stats/drift_watch.hpp"

#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/stats/noise_draws.hpp"
#include "harness/stats/noise_examples.hpp"

namespace ridgeline::stats {
namespace drift_watch_test {

using examples::Nights;

constexpr double least_step = .01;

/// Noise of 0.1%, and from the 200th night on a drift.
Nights drifting(std::uint32_t seed, double a_night, std::size_t nights = 292) {
  Nights made = examples::noise(seed, nights, .001);
  for (std::size_t i = 200; i < made.size(); ++i) made[i] += a_night * static_cast<double>(i - 200);
  return made;
}

struct Seen {
  StepWatch steps;
  DriftWatch drift;
  std::vector<std::size_t> told;  // how many nights there were
};

Seen seen(const Nights& nights) {
  Seen all;
  for (const double night : nights) {
    all.steps.add(night);
    if (all.drift.add(all.steps, least_step)) all.told.push_back(all.steps.values().size());
  }
  return all;
}

TEST(DriftWatch, TellsOnceWhatNoNightShows) {
  constexpr double a_night = .00015;
  const Seen all = seen(drifting(11, a_night, 320));
  EXPECT_TRUE(all.steps.steps().empty());
  ASSERT_EQ(all.told.size(), 1u);
  EXPECT_GT(all.told[0], 230u);
  EXPECT_LT(all.told[0], 300u);
  const auto tonight = all.drift.tonight();
  ASSERT_TRUE(tonight.has_value());
  EXPECT_EQ(tonight->told, all.told[0]);
  EXPECT_NEAR(tonight->drift.total, 90 * a_night, .002);
}

TEST(DriftWatch, SaysHowMuchItIs) {
  constexpr double a_night = .00015;
  int found = 0, held = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const auto tonight = seen(drifting(100 + seed, a_night)).drift.tonight();
    if (!tonight) continue;
    ++found;
    const Interval range = tonight->drift.range;
    held += range.low <= 90 * a_night && 90 * a_night <= range.high ? 1 : 0;
  }
  EXPECT_GE(found, 50);
  EXPECT_GE(held, found * 90 / 100);
}

TEST(DriftWatch, TellsNothingOfNoise) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    EXPECT_TRUE(seen(examples::noise(200 + seed, 250, .01)).told.empty()) << seed;
    EXPECT_TRUE(
        seen(examples::following(examples::noise(200 + seed, 250, .01), .9, .44)).told.empty())
        << seed << ", of noise that follows itself";
  }
}

TEST(DriftWatch, IsNotFooledByTheFirstNightsOfWander) {
  std::size_t told = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    std::mt19937_64 random(seed);
    Nights nights(180);
    zoo::Shifts shifts;
    zoo::bending(nights, random, shifts);
    for (double& night : nights) night *= .01;
    told += seen(nights).told.size();
  }
  EXPECT_LE(told, 18u);
}

TEST(DriftWatch, TellsASteepOneAfterWeeks) {
  int found = 0;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    Nights nights = examples::noise(400 + seed, 140, .003);
    for (std::size_t i = 80; i < nights.size(); ++i)
      nights[i] += .001 * static_cast<double>(i - 80);
    const Seen all = seen(nights);
    if (all.told.empty()) continue;
    ++found;
    EXPECT_LT(all.told[0], 125u) << seed;
    const auto tonight = all.drift.tonight();
    if (!tonight) continue;
    EXPECT_NEAR(static_cast<double>(tonight->drift.begin), 80, 25);
    EXPECT_GT(tonight->drift.total, .03);
  }
  EXPECT_GE(found, 10) << "the others begin as a step";
}

TEST(DriftWatch, CallsAStepNoDrift) {
  for (const std::size_t at : {130u, 155u, 180u})
    EXPECT_TRUE(seen(examples::step(examples::noise(12, 270, .01), at, .05)).told.empty()) << at;
}

TEST(DriftWatch, CallsAStepThatIsTooSmallToCountNoDrift) {
  for (std::uint32_t seed = 0; seed < 20; ++seed)
    for (const std::size_t at : {125u, 155u, 185u})
      EXPECT_TRUE(
          seen(examples::step(examples::noise(300 + seed, 200, .003), at, .009)).told.empty())
          << seed << ' ' << at;
}

TEST(DriftWatch, LooksAtSoManyNights) {
  EXPECT_THROW(slow_drift(Nights(drift_nights - 1, 0), {}, least_step), Error);
}

TEST(TheilSen, IsTheMedianOfTheSlopesOfAllPairs) {
  const std::pair<std::vector<double>, double> cases[] = {
      {{1, 3}, 2},
      {{0, 1, 2, 3}, 1},
      {{0, 1, 2, 100, 4, 5, 6}, 1},  // an outlier has no weight
      {{0, 0, 6}, 3},                // of 0, 3 and 6
      {{0, 1, 0, 4}, 7. / 6},        // of -1, 0, 1, 4/3, 3/2 and 4
      {{5, 5, 5}, 0},
  };
  for (const auto& [values, slope] : cases) EXPECT_DOUBLE_EQ(theil_sen_slope(values), slope);
}

TEST(TheilSen, TurnsWithTheSeries) {
  std::mt19937_64 random(9);
  std::normal_distribution<double> normal;
  std::vector<double> values(31);
  for (double& value : values) value = normal(random);
  const double slope = theil_sen_slope(values);
  EXPECT_DOUBLE_EQ(theil_sen_slope(std::vector<double>(values.rbegin(), values.rend())), -slope);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += 0.25 * static_cast<double>(i);
  EXPECT_NEAR(theil_sen_slope(values), slope + 0.25, 1e-12);
}

TEST(TheilSen, OfOneValueThrows) { EXPECT_THROW(theil_sen_slope(std::vector<double>{1}), Error); }

}  // namespace drift_watch_test
}  // namespace ridgeline::stats
