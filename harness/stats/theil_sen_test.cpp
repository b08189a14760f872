#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/stats/level_watch.hpp"

namespace ridgeline::stats {
namespace {

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

}  // namespace
}  // namespace ridgeline::stats
