#include "harness/gate/order.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace ridgeline::gate {
namespace order_test {

constexpr const char* name = "gemm/naive/f32/n=8";

TEST(GateOrder, IsTheSameEverywhereForOneSeed) {  // an interrupted gate goes on with what it stored
  std::vector<bool> first;
  for (int round = 0; round < 8; ++round) first.push_back(baseline_first(1, name, round));
  EXPECT_EQ(first, (std::vector<bool>{true, false, false, true, false, false, true, true}));
  EXPECT_EQ(layout_of(1, name, 0, Side::baseline), 452392491432329u);
  EXPECT_EQ(padding_of(1, 0, Side::candidate), 3477u);
}

TEST(GateOrder, EveryRoundHasAFairCoinOfItsOwn) {
  std::set<std::vector<bool>> by_seed, by_case;
  int baseline = 0, alike[8] = {};
  for (std::uint64_t i = 0; i < 1000; ++i) {
    std::vector<bool> of_seed, of_case;
    for (int round = 0; round < 40; ++round) {
      of_seed.push_back(baseline_first(i, name, round));
      of_case.push_back(baseline_first(1, "case" + std::to_string(i), round));
    }
    baseline += static_cast<int>(std::count(of_seed.begin(), of_seed.end(), true));
    for (std::size_t lag = 1; lag < std::size(alike); ++lag)
      for (std::size_t round = lag; round < of_seed.size(); ++round)
        alike[lag] += of_seed[round] == of_seed[round - lag] ? 1 : 0;
    by_seed.insert(of_seed);
    by_case.insert(of_case);
  }
  EXPECT_NEAR(baseline, 20'000, 600);  // of 40,000 fair coins: 6 standard deviations
  for (int lag = 1; lag < static_cast<int>(std::size(alike)); ++lag)
    EXPECT_NEAR(alike[lag], 500 * (40 - lag), 600) << "rounds that far apart are independent";
  EXPECT_GT(by_seed.size(), 990u);
  EXPECT_GT(by_case.size(), 990u);
}

TEST(GateOrder, LayoutsAreDrawnForEachSideRoundAndCase) {
  std::set<std::uint64_t> layouts, places;
  std::set<std::size_t> paddings;
  for (int round = 0; round < 100; ++round)
    for (const Side side : {Side::baseline, Side::candidate}) {
      for (const char* each : {name, "another"}) {
        const std::uint64_t layout = layout_of(7, each, round, side);
        EXPECT_NE(layout, 0u);
        layouts.insert(layout);
        places.insert(layout % 256);
      }
      paddings.insert(padding_of(7, round, side));
    }
  EXPECT_EQ(layouts.size(), 400u);
  EXPECT_GT(places.size(), 150u);  // of 256, drawn 400 times: 202 are expected
  EXPECT_GT(paddings.size(), 150u);
  EXPECT_LT(*paddings.rbegin(), 4096u);
}

}  // namespace order_test
}  // namespace ridgeline::gate
