#include "harness/stats/rank_sum.hpp"

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace ridgeline::stats {
namespace rank_sum_test {

using Values = std::vector<double>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

// The definition, word for word: midranks of all values, and every choice of as many of them as the
// second sample has.
RankSum literally(const Values& first, const Values& second, double theta) {
  Values all = first;
  for (const double value : second) all.push_back(value - theta);
  Values ranks;
  for (const double value : all) {
    double below = 0, equal = 0;
    for (const double other : all) {
      below += other < value ? 1 : 0;
      equal += other == value ? 1 : 0;
    }
    ranks.push_back(below + (equal + 1) / 2);
  }
  double observed = 0;
  for (std::size_t i = first.size(); i < all.size(); ++i) observed += ranks[i];
  double choices = 0, at_least = 0, at_most = 0;
  for (unsigned chosen = 0; chosen < 1u << all.size(); ++chosen) {
    if (static_cast<std::size_t>(__builtin_popcount(chosen)) != second.size()) continue;
    double sum = 0;
    for (std::size_t i = 0; i < all.size(); ++i) sum += (chosen >> i & 1u) != 0 ? ranks[i] : 0;
    choices += 1;
    at_least += sum >= observed ? 1 : 0;
    at_most += sum <= observed ? 1 : 0;
  }
  return {at_least / choices, at_most / choices};
}

void expect_literal(const Values& first, const Values& second) {
  SCOPED_TRACE(testing::PrintToString(first) + " " + testing::PrintToString(second));
  Values ends;
  for (const double x : first)
    for (const double y : second) ends.push_back(y - x);
  std::sort(ends.begin(), ends.end());
  const std::size_t m = ends.size();
  EXPECT_EQ(rank_sum_estimate(first, second), (ends[(m - 1) / 2] + ends[m / 2]) / 2);
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  std::vector<RankSum> gaps{literally(first, second, ends.front() - 1)};
  for (std::size_t k = 1; k < ends.size(); ++k)
    gaps.push_back(literally(first, second, (ends[k - 1] + ends[k]) / 2));
  gaps.push_back(literally(first, second, ends.back() + 1));
  // What the search stands on.
  for (std::size_t k = 1; k < gaps.size(); ++k) {
    EXPECT_GE(gaps[k].up, gaps[k - 1].up) << k;
    EXPECT_LE(gaps[k].down, gaps[k - 1].down) << k;
  }
  for (const double theta : ends) {
    const RankSum found = rank_sum(first, second, theta),
                  expected = literally(first, second, theta);
    EXPECT_EQ(found.up, expected.up) << theta;
    EXPECT_EQ(found.down, expected.down) << theta;
  }
  for (const double confidence : {.5, .8, .95}) {
    const double each = (1 - confidence) / 2;
    std::size_t low = 0, last = gaps.size() - 1;
    while (!(gaps[low].up > each)) ++low;
    while (!(gaps[last].down > each)) --last;
    const Interval found = rank_sum_interval(first, second, confidence);
    EXPECT_EQ(found.low, low == 0 ? -infinity : ends[low - 1]) << confidence;
    EXPECT_EQ(found.high, last == ends.size() ? infinity : ends[last]) << confidence;
  }
}

TEST(RankSum, IsTheDefinitionOverAllPermutations) {
  std::mt19937 random(11);
  for (int trial = 0; trial < 120; ++trial) {
    Values first(1 + random() % 5), second(1 + random() % 5);
    const unsigned width = trial % 2 == 0 ? 4 : 1000;  // many ties, few ties
    for (double& value : first) value = static_cast<double>(random() % width);
    for (double& value : second) value = static_cast<double>(random() % width);
    expect_literal(first, second);
  }
}

TEST(RankSum, HasThePublishedValues) {
  // Hollander, Wolfe and Chicken, Nonparametric Statistical Methods, table 4.1 (permeability of the
  // human chorioamnion): W = 35 for the ten at term, one-sided p .1272, shift .305.
  const Values term{.80, .83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, .73, 1.46},
      early{1.15, .88, .90, .74, 1.21};
  EXPECT_NEAR(rank_sum(early, term, 0).up, .1272061272061272, 1e-15);
  EXPECT_NEAR(rank_sum(term, early, 0).down, .1272061272061272, 1e-15);
  EXPECT_NEAR(rank_sum_estimate(early, term), .305, 1e-15);
}

TEST(RankSum, AgreesWithSciPy) {
  // SciPy 1.17.1: mannwhitneyu(second - theta, first, method="exact"), greater and less.
  const Values eight{.105, -.93, -.029, .695, -1.344, -.458, -1.901, -1.29},
      other_eight{-.842, .765, -.267, 1.271, 1.157, .813, -1.517, .461};
  const Values twelve{-.049, .113,  -1.53, -.478, -.979, -.809,
                      1.061, -.808, -.033, .884,  -.584, -.112},
      nine{1.61, 1.564, .275, 1.576, 2.859, -.047, 2.359, 1.619, .859};
  const Values twenty{2.0,   .762, -1.199, .075, .577,   -.189, .683,  -.067, .667,  1.439,
                      -.676, .203, -.463,  .127, -1.187, -.579, -.196, .899,  1.145, -1.324},
      twenty_five{-.095, 1.347, -1.292, .237, .603,  1.957, 1.389, .373,  .331,
                  .45,   2.224, .272,   .396, 1.053, .579,  .503,  -.414, .688,
                  .256,  1.866, 1.353,  .676, 1.368, .36,   1.752};
  struct Row {
    const Values &first, &second;
    double theta, up, down;
  };
  const Row rows[] = {{eight, other_eight, 0, .041491841491841486, .9675213675213675},
                      {eight, other_eight, .5013, .22090132090132086, .8088578088578089},
                      {twelve, nine, 0, .00022794542918381928, .9998469023236826},
                      {twelve, nine, .5013, .002150171809614534, .9983703602898649},
                      {twenty, twenty_five, 0, .015863706340677977, .9850566136497375},
                      {twenty, twenty_five, .5013, .3545025144571371, .6538862132784795}};
  for (const Row& row : rows) {
    const RankSum found = rank_sum(row.first, row.second, row.theta);
    EXPECT_NEAR(found.up, row.up, 1e-14);
    EXPECT_NEAR(found.down, row.down, 1e-14);
  }
}

TEST(RankSum, CannotBeSmallerThanOneChoiceOfAll) {
  EXPECT_DOUBLE_EQ(
      rank_sum(Values{1, 2, 3, 4, 5, 6, 7, 8}, Values{11, 12, 13, 14, 15, 16, 17, 18}, 0).up,
      1. / 12870);
  EXPECT_EQ(rank_sum(Values{1}, Values{2}, 0).up, .5);
  EXPECT_EQ(rank_sum(Values{1}, Values{2}, 0).down, 1);
}

TEST(RankSum, OfEqualValues) {
  const Values equal(8, 3.5);
  EXPECT_EQ(rank_sum(equal, equal, 0).up, 1);
  EXPECT_EQ(rank_sum(equal, equal, 0).down, 1);
  EXPECT_DOUBLE_EQ(rank_sum(equal, equal, .1).down, 1. / 12870);
  EXPECT_EQ(rank_sum_estimate(equal, equal), 0);
  EXPECT_EQ(rank_sum_interval(equal, equal).low, 0);
  EXPECT_EQ(rank_sum_interval(equal, equal).high, 0);
  EXPECT_EQ(rank_sum_interval(Values{1}, Values{2}).low, -infinity);
  EXPECT_EQ(rank_sum_interval(Values{1}, Values{2}).high, infinity);
}

TEST(RankSum, IsNotRoundedByHugeNeighbours) {
  EXPECT_EQ(rank_sum(Values{1, 3, 1e300}, Values{2, 4, -1e300}, 0).up,
            literally({1, 3, 100}, {2, 4, -100}, 0).up);
  const Interval huge = rank_sum_interval(Values(5, 1e300), Values(5, -1e300));
  EXPECT_EQ(huge.low, -2e300);
  EXPECT_EQ(huge.high, -2e300);
}

TEST(RankSum, RefusesWhatItCannotRank) {
  for (const double bad : {nan, infinity, -infinity, std::numeric_limits<double>::max()}) {
    EXPECT_THROW(rank_sum(Values{1, bad}, Values{1}, 0), Error);
    EXPECT_THROW(rank_sum(Values{1}, Values{1, bad}, 0), Error);
    EXPECT_THROW(rank_sum(Values{1}, Values{1}, bad), Error);
    EXPECT_THROW(rank_sum_estimate(Values{bad}, Values{1}), Error);
    EXPECT_THROW(rank_sum_interval(Values{1}, Values{bad}), Error);
  }
  EXPECT_THROW(rank_sum({}, Values{1}, 0), Error);
  EXPECT_THROW(rank_sum(Values{1}, {}, 0), Error);
  EXPECT_THROW(rank_sum_estimate({}, Values{1}), Error);
  EXPECT_THROW(rank_sum_interval(Values{1}, {}), Error);
  EXPECT_THROW(rank_sum_interval(Values{1}, Values{2}, 1.), Error);
  EXPECT_THROW(rank_sum(Values(201, 1.), Values{1}, 0), Error);
}

}  // namespace rank_sum_test
}  // namespace ridgeline::stats
