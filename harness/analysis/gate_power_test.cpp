#include "harness/analysis/gate_power.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "harness/stats/interval.hpp"

namespace ridgeline::analysis {
namespace gate_power_test {

using record::Doubt;
using Values = std::vector<double>;

TEST(GatePower, PairsBelowWhichNothingCanBeFound) {
  EXPECT_EQ(least_pairs(.01), 7);
  EXPECT_EQ(least_pairs(.01 / 10), 10);
  EXPECT_EQ(least_pairs(.01 / 50), 13);
  EXPECT_EQ(least_pairs(.01 / 100), 14);
  EXPECT_EQ(least_pairs(.01 / 300), 15);
  EXPECT_EQ(least_pairs(.125), 3);
}

TEST(GatePower, TheSmallestSlowDown) {
  EXPECT_EQ(smallest_found(13, .01, .03, .5, 1e-4), stats::unbounded);
  EXPECT_NEAR(smallest_found(14, .01, .03, .5, 1e-4), .0363, 5e-5);
  EXPECT_EQ(smallest_found(14, 0, .03, .5, 1e-4), .03);
  EXPECT_GT(smallest_found(20, .1, .03, .5, 1e-4), smallest_found(40, .1, .03, .5, 1e-4));
}

TEST(GatePower, ScatterNeedsThreePairs) {
  EXPECT_FALSE(scatter(Values{1, 2}));
  EXPECT_NEAR(scatter(Values{1, 2, 3}).value(), 1, 1e-12);
  EXPECT_NEAR(scatter(Values{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100}).value(), 0, 1e-12) << "robust";
}

TEST(GatePower, OfTwoValuesThatTakeTurnsTheScatterIsNotNothing) {
  // Like a machine on which the second of a pair is 2% slower: coins say which side that is.
  for (const int slower : {18, 19, 20, 21, 22}) {
    Values turns;
    for (int i = 0; i < 40; ++i) turns.push_back((i < slower ? .02 : -.02) + .0001 * (i % 7 - 3));
    EXPECT_GE(scatter(turns).value(), .02) << slower;
  }
  EXPECT_GE(scatter(Values{1, -1, 1, -1, 1, -1, 1, -1}).value(), 1);
}

TEST(GateDoubt, ATwofoldSlowDownInThreePairsButNotInTwo) {
  EXPECT_EQ(doubt_of(Values{.69, .7, .7}, .03, 100), Doubt::cluster);
  EXPECT_FALSE(doubt_of(Values{.69, .7}, .03, 100));
  EXPECT_FALSE(doubt_of({}, .03, 100));
}

TEST(GateDoubt, ManyTimesSlowerInAnyNumberOfPairs) {
  EXPECT_EQ(doubt_of(Values{2.3}, .03, 100), Doubt::large);
  EXPECT_EQ(doubt_of(Values{6.9, 2.3}, .03, 100), Doubt::large);
  EXPECT_EQ(doubt_of(Values{2.3, 4.1, 1.5, 2.9, 2.3}, .03, 100), Doubt::large)
      << "which scatter too much to be a cluster";
  EXPECT_FALSE(doubt_of(Values{2.3, 4.1, 1.3}, .03, 100)) << "one of them is not";
  EXPECT_FALSE(doubt_of(Values{2.3}, 3, 100)) << "delta is larger";
}

TEST(GateDoubt, AWideSpreadIsNoneUntilItIsLong) {
  const Values wide{.05, .31, .12, .09, .2, .15, .04, .6, .07, .08, .11};
  EXPECT_FALSE(doubt_of({wide.data(), 6}, .03, 100));
  EXPECT_EQ(doubt_of(wide, .03, 100), Doubt::exact);
}

TEST(GateDoubt, MuchSlowerInSixPairs) {
  EXPECT_EQ(doubt_of(Values{.3, .9, .5, 2., .4, .35}, .03, 100), Doubt::large);
  EXPECT_FALSE(doubt_of(Values{.3, .9, .5, 2., .4}, .03, 100));
}

TEST(GateDoubt, EqualSidesRaiseNone) {
  EXPECT_FALSE(doubt_of(Values{.01, -.02, .005, -.01, .03, -.005, .02, 0}, .03, 1));
  EXPECT_FALSE(doubt_of(Values(30, .03), .03, 1)) << "exactly delta";
}

TEST(GateMorePairs, UntilTheSlowDownCouldBeFound) {
  // 14 pairs are the least among 100 cases.
  EXPECT_EQ(more_pairs(Values(6, .9), .03, .5, 1e-4), 8);
  EXPECT_EQ(more_pairs(Values{2.3, 2.31}, .03, .5, 1e-4), 12);
  EXPECT_FALSE(more_pairs(Values{2.3, -.01}, .03, .5, 1e-4)) << "not all are above delta";
  EXPECT_FALSE(more_pairs(Values(6, .02), .03, .5, 1e-4));
  EXPECT_FALSE(more_pairs({}, .03, .5, 1e-4));
  const Values noisy{.05, .31, .12, .09, .2, .15, .04, .6, .07, .08, .11};
  EXPECT_GT(more_pairs(noisy, .03, .5, 1e-4).value(), 14 - 11);
}

}  // namespace gate_power_test
}  // namespace ridgeline::analysis
