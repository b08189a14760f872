#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "harness/analysis/trend_fixture.hpp"

namespace ridgeline::analysis {
namespace trend_shared_test {

using examples::Nights;

TEST_F(Trend, ChangesThatManySeriesShareAreOneFleetEvent) {
  Nights nights;
  nights.cases = 14;
  nights.level = [](int of, int night) { return of < 12 && night >= 80 + of % 2 ? .05 : 0.0; };
  add(nights, 0, 88);
  DeviceTrend found = trend({.least_step = {}, .new_nights = 7, .shown_nights = 90});
  EXPECT_TRUE(found.changes.empty());
  ASSERT_EQ(found.fleet.size(), 1u);
  EXPECT_EQ(found.fleet[0].kind, TrendKind::regression);
  EXPECT_EQ(found.fleet[0].slower, 12u);
  EXPECT_EQ(found.fleet[0].faster, 0u);
  EXPECT_NEAR(found.fleet[0].ratio, std::exp(.05), .005);
  EXPECT_TRUE(fails(found.fleet[0]));
}

TEST_F(Trend, ANewDriverDoesNotHideWhatTheNextCommitMakesSlower) {
  Nights nights;
  nights.cases = 36;
  nights.driver = [](int night) { return night < 80 ? "580.1" : "580.2"; };
  nights.level = [](int of, int night) {
    if (of < 30) return night >= 80 ? (of % 2 == 0 ? .05 : -.04) : 0.0;
    return of < 35 && night >= 81 ? std::log(2.0) : 0.0;
  };
  add(nights, 0, 83);
  const DeviceTrend found = trend();
  ASSERT_EQ(found.fleet.size(), 1u);
  EXPECT_EQ(found.fleet[0].kind, TrendKind::environment);
  EXPECT_EQ(found.fleet[0].members.size(), 30u);
  EXPECT_FALSE(fails(found.fleet[0]));
  ASSERT_EQ(found.changes.size(), 5u);
  for (const TrendChange& change : found.changes) EXPECT_TRUE(fails(change)) << change.case_name;
}

TEST_F(Trend, ManyCasesTellWhatNoneTellsAlone) {
  Nights nights;
  nights.cases = 40;
  nights.noise = .02;
  nights.level = [](int of, int night) { return of < 36 && night >= 60 ? .035 : 0.0; };
  add(nights, 0, 60);
  EXPECT_TRUE(trend().fleet.empty());
  int fresh = 0;
  std::size_t alone = 0;
  for (int night = 60; night < 70; ++night) {
    add(nights, night, night + 1);
    const DeviceTrend found = trend();
    alone = found.changes.size();
    for (const FleetEvent& event : found.fleet) fresh += event.is_new ? 1 : 0;
    if (found.fleet.empty()) continue;
    ASSERT_EQ(found.fleet.size(), 1u);
    const FleetEvent& event = found.fleet[0];
    EXPECT_EQ(event.kind, TrendKind::regression);
    EXPECT_GE(event.slower, 20u);
    EXPECT_NEAR(static_cast<double>(event.night), 60, 2);
    EXPECT_NEAR(event.ratio, std::exp(.035), .015);
    EXPECT_EQ(fails(event), event.is_new);
    const auto told_alone = std::ranges::count(event.members, false, &TrendChange::shared);
    EXPECT_LT(told_alone, 10) << "too few for an event by themselves";
  }
  EXPECT_EQ(fresh, 1);
  EXPECT_LE(alone, 1u);
}

TEST_F(Trend, WhatCasesToldBeforeIsNoPartOfAFleetEvent) {
  Nights nights;
  nights.cases = 24;
  nights.noise = .005;
  nights.level = [](int of, int night) {
    return (of < 8 && night >= 80) || (of >= 8 && of < 16 && night >= 85) ? std::log(1.2) : 0.0;
  };
  add(nights, 0, 95);
  const DeviceTrend found = trend();
  EXPECT_TRUE(found.fleet.empty());
  ASSERT_EQ(found.changes.size(), 16u);
  for (const TrendChange& change : found.changes) {
    EXPECT_TRUE(change.night == 80 || change.night == 85) << change.case_name;
    EXPECT_LT(change.night, change.raised);
  }
}

TEST_F(Trend, WhatManyCasesToldStaysTold) {
  Nights nights;  // a neighbour now and then, and cases that become slower one after the other
  nights.cases = 20;
  nights.noise = .01;
  nights.level = [](int of, int night) {
    return (night % 30 < 2 ? .15 : 0) + (night % 7 == 3 ? .04 : 0) + (night >= 80 + of ? .08 : 0);
  };
  std::set<std::pair<std::string, std::size_t>> told;  // case, and the night that told it
  add(nights, 0, 88);
  for (int night = 88; night < 106; ++night) {
    add(nights, night, night + 1);
    std::set<std::pair<std::string, std::size_t>> found;
    const DeviceTrend now = trend({.least_step = {}, .shown_nights = 400});
    for (const TrendChange& change : now.changes) found.emplace(change.case_name, *change.raised);
    for (const FleetEvent& event : now.fleet)
      for (const TrendChange& change : event.members)
        found.emplace(change.case_name, *change.raised);
    for (const auto& [name, raised] : told)
      EXPECT_TRUE(found.contains({name, raised}))
          << name << ", told " << raised << ", on " << night;
    told.merge(found);
  }
  EXPECT_GE(told.size(), 20u);
}

}  // namespace trend_shared_test
}  // namespace ridgeline::analysis
