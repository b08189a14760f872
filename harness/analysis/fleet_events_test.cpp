#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "harness/analysis/trend.hpp"

namespace ridgeline::analysis {
namespace {

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

}  // namespace
}  // namespace ridgeline::analysis
