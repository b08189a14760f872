#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "harness/analysis/trend.hpp"

namespace ridgeline::analysis {
namespace fleet_events_test {

using Days = std::vector<std::int64_t>;

TEST(FleetEvents, AreTenChangesWithinTwoDays) {
  EXPECT_TRUE(fleet_events({}).empty());
  EXPECT_TRUE(fleet_events(Days(9, 100)).empty());
  EXPECT_EQ(fleet_events(Days(10, 100)).size(), 1u);
  EXPECT_EQ(fleet_events(Days{100, 100, 100, 100, 101, 101, 101, 102, 102, 102}).size(), 1u);
  EXPECT_TRUE(fleet_events(Days{100, 100, 100, 100, 101, 101, 101, 102, 102, 103}).empty());
}

TEST(FleetEvents, TakeTheFullestSpanFirst) {
  // Ten on day 100, and fifteen from 101 to 103: the second span takes what it holds, and leaves a
  // fleet before it.
  Days days(10, 100);
  for (int i = 0; i < 15; ++i) days.push_back(101 + i % 3);
  const auto events = fleet_events(days);
  ASSERT_EQ(events.size(), 1u) << "100 to 102 holds 20";
  EXPECT_EQ(events[0].size(), 20u);
}

TEST(FleetEvents, AreInOrderOfDaysAndShareNothing) {
  std::mt19937_64 random(2);
  Days days;
  for (const std::int64_t day : {500, 20, 300})
    for (int i = 0; i < 12; ++i) days.push_back(day + static_cast<std::int64_t>(random() % 3));
  days.push_back(100);
  std::shuffle(days.begin(), days.end(), random);
  const auto events = fleet_events(days);
  ASSERT_EQ(events.size(), 3u);
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < events.size(); ++i) {
    EXPECT_EQ(events[i].size(), 12u);
    for (const std::size_t index : events[i])
      EXPECT_EQ(days[index] / 100, std::int64_t(Days{0, 3, 5}[i]));
    all.insert(all.end(), events[i].begin(), events[i].end());
  }
  std::ranges::sort(all);
  EXPECT_EQ(std::ranges::unique(all).size(), 0u);
}

/// A new change of a case on the only night.
TrendChange one_change(std::size_t number, TrendKind kind, bool worse) {
  TrendChange change;
  change.case_name = "case " + std::to_string(number);
  change.kind = kind;
  change.worse = worse;
  change.before = 100;
  change.after = worse ? 110 : 90;
  change.is_new = true;
  change.why = Why{kind == TrendKind::environment ? TrendCause::machine : TrendCause::code, {}};
  return change;
}

/// Of so many slower, faster, and with the environment slower and faster.
DeviceTrend gathered(int slower, int faster, int slower_there, int faster_there) {
  DeviceTrend trend;
  trend.nights.nights.resize(1);
  const auto add = [&](int count, TrendKind kind, bool worse) {
    for (int i = 0; i < count; ++i)
      trend.changes.push_back(one_change(trend.changes.size(), kind, worse));
  };
  add(slower, TrendKind::regression, true);
  add(faster, TrendKind::improvement, false);
  add(slower_there, TrendKind::environment, true);
  add(faster_there, TrendKind::environment, false);
  gather_fleet_events(trend);
  return trend;
}

TEST(FleetEvents, ChangesWithTheEnvironmentVoteForNothing) {
  const DeviceTrend faster = gathered(0, 24, 0, 23);
  ASSERT_EQ(faster.fleet.size(), 2u);
  EXPECT_EQ(faster.fleet[0].kind, TrendKind::improvement);
  EXPECT_EQ(faster.fleet[0].slower, 0u);
  EXPECT_EQ(faster.fleet[0].faster, 24u);
  EXPECT_EQ(faster.fleet[0].why->cause, TrendCause::code);
  EXPECT_FALSE(fails(faster.fleet[0]));
  EXPECT_EQ(faster.fleet[1].kind, TrendKind::environment);
  EXPECT_EQ(faster.fleet[1].members.size(), 23u);
  const DeviceTrend few = gathered(1, 24, 9, 0);
  ASSERT_EQ(few.fleet.size(), 1u) << "nine with the environment and a slower one are no ten";
  EXPECT_EQ(few.fleet[0].kind, TrendKind::improvement);
  EXPECT_EQ(few.changes.size(), 10u) << "told one by one";
  EXPECT_EQ(std::ranges::count_if(few.changes, [](const auto& one) { return fails(one); }), 1);
}

TEST(FleetEvents, OfTheEnvironmentAreOfBothDirectionsAndHideNothing) {
  const DeviceTrend there = gathered(5, 0, 20, 22);
  ASSERT_EQ(there.fleet.size(), 1u);
  EXPECT_EQ(there.fleet[0].kind, TrendKind::environment);
  EXPECT_EQ(there.fleet[0].members.size(), 42u);
  EXPECT_EQ(there.fleet[0].slower, 20u);
  EXPECT_EQ(there.fleet[0].why->cause, TrendCause::machine);
  EXPECT_FALSE(fails(there.fleet[0]));
  ASSERT_EQ(there.changes.size(), 5u);
  for (const TrendChange& one : there.changes) EXPECT_TRUE(fails(one)) << one.case_name;
  const DeviceTrend many = gathered(12, 0, 30, 0);
  ASSERT_EQ(many.fleet.size(), 2u);
  EXPECT_TRUE(fails(many.fleet[0]));
}

TEST(FleetEvents, AreOfOneDirection) {
  const DeviceTrend both = gathered(12, 14, 0, 0);
  ASSERT_EQ(both.fleet.size(), 2u);
  EXPECT_EQ(both.fleet[0].kind, TrendKind::regression);
  EXPECT_EQ(both.fleet[0].slower, 12u);
  EXPECT_EQ(both.fleet[0].faster, 0u);
  EXPECT_TRUE(fails(both.fleet[0]));
  EXPECT_EQ(both.fleet[1].kind, TrendKind::improvement);
  EXPECT_EQ(both.fleet[1].members.size(), 14u);
  EXPECT_TRUE(both.changes.empty());
  const DeviceTrend most = gathered(40, 3, 0, 0);
  ASSERT_EQ(most.fleet.size(), 1u);
  EXPECT_EQ(most.fleet[0].members.size(), 40u);
  EXPECT_EQ(most.changes.size(), 3u) << "told one by one";
  EXPECT_EQ(gathered(6, 6, 0, 0).changes.size(), 12u) << "no ten of one direction";
}

}  // namespace fleet_events_test
}  // namespace ridgeline::analysis
