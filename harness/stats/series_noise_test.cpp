#include "harness/stats/series_noise.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/stats/noise_examples.hpp"

namespace ridgeline::stats {
namespace series_noise_test {

TEST(SeriesNoise, SpreadCountsWhatIsFarAwayAsLittleFarther) {
  EXPECT_DOUBLE_EQ(capped_spread({3, -3, 3, -3}, .1), 3);
  EXPECT_DOUBLE_EQ(capped_spread({}, .1), .1);
  EXPECT_DOUBLE_EQ(capped_spread({0, 0, 0}, .1), .1);
  const double cap = 2.7 * 1.4826;
  EXPECT_DOUBLE_EQ(capped_spread({1, 1, 1, 1000}, .1), std::sqrt((3 + cap * cap) / 4));
}

TEST(SeriesNoise, AMeanIsMovedLittleByAnOutlier) {
  EXPECT_DOUBLE_EQ(clamped_mean(std::vector<double>{5}, 1), 5);
  EXPECT_DOUBLE_EQ(clamped_mean(std::vector<double>{4, 1, 1}, 0), 1);
  EXPECT_DOUBLE_EQ(clamped_mean(std::vector<double>{9, 1, 2, 0}, 1),
                   1.5 + (-1.5 - .5 + .5 + 2) / 4);
  EXPECT_DOUBLE_EQ(clamped_mean(std::vector<double>{9, 1, 2, 0}, 100), 3) << "the mean";
}

/// By the sum of all pairs.
double by_definition(int g, int h, double phi) {
  double total = 0;
  for (int i = 0; i < g + h; ++i)
    for (int j = 0; j < g + h; ++j) {
      const auto weight = [&](int k) { return k < h ? -1.0 / h : 1.0 / g; };
      const int apart = std::abs(i - j);
      const double v = phi < 1 ? (1 - std::pow(phi, apart)) / (1 - phi) : apart;
      total -= weight(i) * weight(j) * v / 2;
    }
  return total;
}

TEST(SeriesNoise, AMovesVarianceIsThatOfItsModel) {
  EXPECT_DOUBLE_EQ(move_variance(1, 1, .4), 1) << "a difference of neighbours";
  EXPECT_DOUBLE_EQ(move_variance(2, 3, 0), (1. / 2 + 1. / 3) / 2) << "white noise";
  for (const auto& [g, h] : {std::pair{2, 3}, {2, 28}, {7, 14}, {28, 28}, {1, 5}})
    for (const double phi : {0.0, .3, .95, 1.0})
      EXPECT_NEAR(move_variance(static_cast<std::size_t>(g), static_cast<std::size_t>(h), phi),
                  by_definition(g, h, phi), 1e-12)
          << g << ' ' << h << ' ' << phi;
  EXPECT_THROW(move_variance(0, 3, 0), Error);
}

TEST(SeriesNoise, WhatIsCarriedOverShowsInTheDifferences) {
  EXPECT_NEAR(carried_over(1, 1, 1), 0, 1e-3);
  EXPECT_NEAR(carried_over(1, 2, 4), 1, 1e-3);
  EXPECT_NEAR(carried_over(1, 1.6, 1 + .6 + .36 + .216), .6, 1e-3);
  EXPECT_NEAR(carried_over(1, 1, 1 + .6 + .36 + .216), .6, 1e-3) << "the larger of both";
  EXPECT_DOUBLE_EQ(carried_over(1, 9, 90), 1);
}

TEST(SeriesNoise, RoundingShowsWhereNightsRepeat) {
  EXPECT_DOUBLE_EQ(visible_tick({}), 0);
  EXPECT_DOUBLE_EQ(visible_tick({0, 0, 0}), 0) << "nothing but the same";
  EXPECT_DOUBLE_EQ(visible_tick({0, .02, .05, .05, .1}), .05) << "seen twice";
  EXPECT_DOUBLE_EQ(visible_tick({0, .02, .02, .05, .1, .1, .3}), 0) << "one in seven repeats";
}

}  // namespace series_noise_test
}  // namespace ridgeline::stats
