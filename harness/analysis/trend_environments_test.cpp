#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/analysis/trend_fixture.hpp"

namespace ridgeline::analysis {
namespace trend_environments_test {

using examples::Nights;

TEST_F(Trend, AChangeOnTheNightOfANewDriverIsTheEnvironments) {
  Nights nights = with_step(80, .06);
  nights.driver = [](int night) { return night < 80 ? "580.1" : "580.2"; };
  add(nights, 0, 85);
  const DeviceTrend found = trend();
  ASSERT_EQ(found.changes.size(), 1u);
  EXPECT_EQ(found.changes[0].kind, TrendKind::environment);
  EXPECT_EQ(found.changes[0].changes.environment,
            std::vector<std::string>{"driver 580.1 -> 580.2"});
  EXPECT_FALSE(fails(found.changes[0]));
}

TEST_F(Trend, ADriverThatChangedOnAnotherNightExcusesNothing) {
  Nights nights = with_step(80, .06);
  nights.driver = [](int night) { return night < 70 ? "580.1" : "580.2"; };
  add(nights, 0, 82);
  EXPECT_TRUE(fails(trend().changes.at(0)));
}

TEST_F(Trend, AnotherComparableEnvironmentStartsSeriesAnew) {
  Nights nights;
  nights.power_limit = [](int night) { return night < 70 ? "300" : "250"; };
  nights.level = [](int of, int night) {
    return (night < 70 ? 0.0 : .2) + (of == 0 && night >= 90 ? .06 : 0.0);
  };
  add(nights, 0, 100);
  const DeviceTrend found = trend();
  ASSERT_EQ(found.environments.size(), 1u);
  EXPECT_EQ(found.environments[0].night, 70u);
  EXPECT_EQ(found.environments[0].cases, 3u);
  EXPECT_NEAR(*found.environments[0].ratio, std::exp(.2), .01);
  EXPECT_EQ(found.environments[0].facts, std::vector<std::string>{"power_limit_w 300 -> 250"});
  ASSERT_EQ(found.changes.size(), 1u) << "the step between the environments is none";
  EXPECT_EQ(found.changes[0].night, 90u);
  EXPECT_EQ(found.changes[0].raised, 91u);
}

TEST_F(Trend, OneNightInAnotherEnvironmentMakesNoCaseTooShort) {
  Nights nights;
  nights.power_limit = [](int night) { return night == 20 ? "250" : "300"; };
  add(nights, 0, 21);
  EXPECT_EQ(trend().too_short, 3u);
  add(nights, 21, 40);
  EXPECT_EQ(trend().too_short, 0u);
}

TEST_F(Trend, OfAWeeklyCaseTheWeekBeforeIsCompared) {
  Nights nights;
  nights.level = [](int, int night) -> std::optional<double> {
    if (night % 7 != 0) return {};
    return night >= 126 ? .5 : 0;
  };
  add(nights, 0, 141);
  const DeviceTrend found = trend();
  ASSERT_EQ(found.changes.size(), 3u);
  for (const TrendChange& change : found.changes) {
    EXPECT_EQ(change.night, 126u);
    EXPECT_EQ(change.night_before, 119u);
  }
}

TEST_F(Trend, ANewEnvironmentKeepsWhatIsKnownOfTheNoise) {
  Nights nights = with_step(75, .06);
  nights.power_limit = [](int night) { return night < 70 ? "300" : "250"; };
  add(nights, 0, 77);
  const DeviceTrend found = trend();
  ASSERT_EQ(found.changes.size(), 1u);
  EXPECT_EQ(found.changes[0].night, 75u);
  EXPECT_TRUE(fails(found.changes[0])) << "seven nights after the setting changed";
}

TEST_F(Trend, TwoEnvironmentsByTurnsAreTwoSeries) {
  Nights nights = with_step(80, .06);
  nights.power_limit = [](int night) { return night % 2 == 0 ? "300" : "250"; };
  nights.level = [of = nights.level](int which, int night) {
    return *of(which, night) + (night % 2 == 0 ? 0 : .2);
  };
  add(nights, 0, 90);
  const DeviceTrend found = trend();
  ASSERT_EQ(found.changes.size(), 2u);
  EXPECT_EQ(found.changes[0].night, 80u);
  EXPECT_EQ(found.changes[1].night, 81u);
}

}  // namespace trend_environments_test
}  // namespace ridgeline::analysis
