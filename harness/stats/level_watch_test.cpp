#include "harness/stats/level_watch.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace ridgeline::stats {
namespace {

using Values = std::vector<double>;

Values noise_of(std::size_t n, std::uint64_t seed, double phi = 0) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal(0, .01);
  Values values(n);
  double last = normal(random);
  for (double& value : values)
    value = last = phi * last + std::sqrt(1 - phi * phi) * normal(random);
  return values;
}

Values with_step(std::size_t n, std::size_t at, double step, std::uint64_t seed) {
  Values values = noise_of(n, seed);
  for (std::size_t i = at; i < n; ++i) values[i] += step;
  return values;
}

/// After how many nights of its new level a step at `at` is confirmed; 0 when it is not.
std::size_t delay(const Values& values, std::size_t at) {
  for (std::size_t n = at + 1; n <= values.size(); ++n)
    for (const LevelChange& change : watch(std::span(values).first(n), {}).changes)
      if (change.confirmed) return n - at;
  return 0;
}

TEST(LevelWatch, ConfirmsTheWorkedExampleInItsThirdAnalysis) {
  // Twenty nights around 0.001 with one outlier, then a step; confirmed at night 25, with the rule
  // of 60 nights waived.
  const Values worked{0,     .006, -.004, .011, -.008, .003, .001,  -.006, .009,
                      -.002, .004, -.010, .150, .002,  .007, -.003, 0,     .005,
                      -.007, .001, .052,  .047, .058,  .049, .044,  .055};
  WatchRules rules;
  rules.least_values = 6;
  const Watched watched = watch(worked, rules, {});
  ASSERT_EQ(watched.changes.size(), 1u);
  const LevelChange& change = watched.changes[0];
  EXPECT_EQ(change.at, 20u);
  EXPECT_EQ(change.raised, 25u);
  EXPECT_DOUBLE_EQ(change.before, .001);
  EXPECT_DOUBLE_EQ(change.after, .0505);
  EXPECT_TRUE(change.step.low < .0495 && .0495 < change.step.high);
  rules.least_values = 60;
  ASSERT_EQ(watch(worked, rules).changes.size(), 1u);
  EXPECT_FALSE(watch(worked, rules).changes[0].confirmed);
}

TEST(LevelWatch, FindsAStepOfFivePercentSoonAndOfThreeALittleLater) {
  constexpr int series = 60;
  int soon = 0, later = 0;
  for (std::uint64_t seed = 0; seed < series; ++seed) {
    const std::size_t five = delay(with_step(140, 120, std::log1p(.05), seed), 120),
                      three = delay(with_step(140, 120, std::log1p(.03), seed), 120);
    EXPECT_GE(five, 5u) << "three values make a segment, and three analyses a confirmed point";
    soon += five <= 8 ? 1 : 0;
    later += three > 0 && three <= 14 ? 1 : 0;
  }
  EXPECT_GE(soon, 57);
  EXPECT_GE(later, 57);
}

TEST(LevelWatch, ConfirmsEachStepForItself) {
  Values values = with_step(140, 90, .06, 3);
  for (std::size_t i = 120; i < values.size(); ++i) values[i] += .06;
  for (std::size_t n = 121; n < 125; ++n)
    for (const LevelChange& change : watch(std::span(values).first(n), {}).changes)
      EXPECT_TRUE(change.at < 100 || !change.confirmed)
          << "the earlier step stands for no other at night " << n;
  const Watched watched = watch(values, {});
  ASSERT_EQ(watched.changes.size(), 2u);
  EXPECT_TRUE(watched.changes[0].confirmed && watched.changes[1].confirmed);
  EXPECT_LT(watched.changes[0].raised, watched.changes[1].raised);
}

TEST(LevelWatch, ConfirmsNothingInNoise) {
  int confirmed = 0, drifts = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Values values = noise_of(200, seed);
    for (std::size_t n = 60; n <= values.size(); n += 7) {
      const Watched watched = watch(std::span(values).first(n), {});
      for (const LevelChange& change : watched.changes) confirmed += change.confirmed ? 1 : 0;
      drifts += watched.drift ? 1 : 0;
    }
  }
  EXPECT_EQ(confirmed, 0);
  EXPECT_EQ(drifts, 0);
}

TEST(LevelWatch, DropsAStepThatWentAwayAgain) {
  Values values = noise_of(130, 4);
  for (std::size_t i = 100; i < 102; ++i) values[i] += .1;  // two nights: no segment
  EXPECT_TRUE(watch(values, {}).changes.empty());
}

TEST(LevelWatch, WaitsForSixtyNightsUnlessTheNoiseIsKnown) {
  const Values values = with_step(40, 20, .06, 2);
  const Watched alone = watch(values, {});
  ASSERT_EQ(alone.changes.size(), 1u);
  EXPECT_FALSE(alone.changes[0].confirmed);
  EXPECT_FALSE(alone.changes[0].raised.has_value());
  const Watched known = watch(values, {}, SeriesNoise{.01, .1});
  ASSERT_EQ(known.changes.size(), 1u);
  EXPECT_TRUE(known.changes[0].confirmed);
  EXPECT_EQ(known.noise.sd, .01);
}

TEST(LevelWatch, KeepsToldWhenAChangeWasConfirmedUntilItIsOld) {
  const Values values = with_step(260, 120, .05, 6);
  const std::size_t first = 120 + delay(values, 120);
  for (const std::size_t n : {first, first + 1, first + 10, first + 40}) {
    const Watched watched = watch(std::span(values).first(n), {});
    ASSERT_EQ(watched.changes.size(), 1u) << n;
    // The noise is estimated anew each week, which may move the night by a little.
    EXPECT_NEAR(static_cast<double>(watched.changes[0].raised.value()), static_cast<double>(first),
                2)
        << n;
  }
  const Watched old = watch(values, {});
  ASSERT_EQ(old.changes.size(), 1u);
  EXPECT_TRUE(old.changes[0].confirmed);
  EXPECT_FALSE(old.changes[0].raised.has_value());
}

TEST(LevelWatch, FindsADriftThatNoNightShows) {
  constexpr double a_night = .00015;
  Values values = noise_of(292, 11);
  for (double& value : values) value /= 10;  // noise of 0.1%
  for (std::size_t i = 200; i < values.size(); ++i)
    values[i] += a_night * static_cast<double>(i - 200);
  const Watched watched = watch(values, {});
  for (const LevelChange& change : watched.changes) EXPECT_FALSE(change.confirmed);
  ASSERT_TRUE(watched.drift.has_value());
  EXPECT_NEAR(watched.drift->total, 90 * a_night, .002);
  EXPECT_GT(watched.drift->raised, 230u);
  EXPECT_LE(watched.drift->raised, 292u);
  EXPECT_EQ(watch(std::span(values).first(watched.drift->raised), {}).drift->raised,
            watched.drift->raised);
}

TEST(LevelWatch, SaysHowMuchADriftIs) {
  constexpr double a_night = .00015;
  int found = 0, held = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    Values values = noise_of(292, seed);
    for (double& value : values) value /= 10;
    for (std::size_t i = 200; i < values.size(); ++i)
      values[i] += a_night * static_cast<double>(i - 200);
    const std::optional<Drift> drift = watch(values, {}).drift;
    if (!drift) continue;  // the middle of it is a confirmed change by now
    ++found;
    held += drift->range.low <= 90 * a_night && 90 * a_night <= drift->range.high ? 1 : 0;
  }
  EXPECT_GE(found, 30);
  EXPECT_GE(held, found * 85 / 100);
}

TEST(LevelWatch, CallsAStepNoDrift) {
  for (const std::size_t at : {130u, 155u, 180u}) {
    const Watched watched = watch(with_step(200, at, .05, 12), {});
    EXPECT_EQ(watched.changes.size(), 1u);
    EXPECT_FALSE(watched.drift.has_value()) << at;
  }
}

TEST(LevelWatch, CallsAStepThatIsTooSmallToCountNoDrift) {
  WatchRules rules;
  rules.least_step = .03;
  for (std::uint64_t seed = 0; seed < 40; ++seed)
    for (const std::size_t at : {125u, 155u, 185u}) {
      const Watched watched = watch(with_step(200, at, .028, seed), rules);
      EXPECT_FALSE(watched.drift.has_value()) << seed << ' ' << at;
    }
}

TEST(LevelWatch, LocatesAStepAmongTheLevelsThatWereFound) {
  Values values = with_step(200, 150, .02, 5);  // too small to count, and no part of where the next
                                                // one is
  for (std::size_t i = 180; i < values.size(); ++i) values[i] -= .08;
  WatchRules rules;
  rules.least_step = .03;
  const Watched watched = watch(values, rules);
  ASSERT_EQ(watched.changes.size(), 1u);
  EXPECT_EQ(watched.changes[0].at, 180u);
  EXPECT_GE(watched.changes[0].earliest, 178u);
  EXPECT_LE(watched.changes[0].latest, 182u);
}

TEST(LevelWatch, OfAWeekOrLessSaysNothing) {
  for (std::size_t n = 0; n < 7; ++n) {
    const Watched watched = watch(noise_of(n + 1, 1), {});
    EXPECT_TRUE(watched.changes.empty());
    EXPECT_FALSE(watched.drift.has_value());
  }
  EXPECT_TRUE(watch({}, {}).changes.empty());
}

}  // namespace
}  // namespace ridgeline::stats
