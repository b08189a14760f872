#include "harness/stats/median.hpp"

#include <algorithm>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace ridgeline::stats {
namespace median_test {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(Median, IsTheMiddleValueOrTheMeanOfTheMiddleTwo) {
  const std::pair<std::vector<double>, double> cases[] = {
      {{5}, 5},          {{2, 1}, 1.5},  {{3, 1, 2}, 2},        {{4, 1, 3, 2}, 2.5},
      {{1, 1, 1, 9}, 1}, {{-1, -3}, -2}, {{1, 2, infinity}, 2}, {{1.5e308, 1.7e308}, 1.6e308},
  };
  for (const auto& [values, expected] : cases) EXPECT_DOUBLE_EQ(median(values), expected);
}

TEST(Median, LeavesTheValuesInTheirOrder) {
  const std::vector<double> values{3, 1, 2};
  median(values);
  quantile(values, 0.5);
  EXPECT_EQ(values, (std::vector<double>{3, 1, 2}));
}

TEST(Median, OfAProcessDoesNotDependOnTheOrderOfItsSamples) {
  std::mt19937_64 random(3);
  std::lognormal_distribution<double> times(11, .05);
  for (std::size_t n = 1; n <= 40; ++n) {
    std::vector<double> samples(n);
    for (double& sample : samples) sample = times(random);
    const double before = median(samples);
    for (int order = 0; order < 5; ++order) {
      std::shuffle(samples.begin(), samples.end(), random);
      EXPECT_EQ(median(samples), before) << n;
    }
  }
}

TEST(Median, OfNothingOrOfNoNumberThrows) {
  EXPECT_THROW(median({}), Error);
  EXPECT_THROW(median(std::vector<double>{1, nan, 2}), Error);
  EXPECT_THROW(quantile({}, 0.5), Error);
  EXPECT_THROW(quantile(std::vector<double>{nan}, 0.5), Error);
}

TEST(Quantile, InterpolatesBetweenOrderStatistics) {
  const std::vector<double> values{40, 10, 30, 20, 50};
  // Type 7 of Hyndman and Fan (1996), the default of R's quantile(): position (n - 1) p.
  const std::pair<double, double> cases[] = {{0, 10},   {0.25, 20}, {0.1, 14},
                                             {0.5, 30}, {0.9, 46},  {1, 50}};
  for (const auto& [p, expected] : cases) EXPECT_DOUBLE_EQ(quantile(values, p), expected) << p;
  EXPECT_EQ(quantile(std::vector<double>{7}, 0.3), 7);
}

TEST(Quantile, OutsideOfZeroToOneThrows) {
  for (const double p : {-0.01, 1.01, nan})
    EXPECT_THROW(quantile(std::vector<double>{1, 2}, p), Error) << p;
}

}  // namespace median_test
}  // namespace ridgeline::stats
