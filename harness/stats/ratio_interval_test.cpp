#include "harness/stats/ratio_interval.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/stats/median.hpp"

namespace ridgeline::stats {
namespace ratio_interval_test {

using Values = std::vector<double>;

TEST(DifferenceInterval, IsWelchs) {
  const auto found = difference_interval(Values{1, 2, 3, 4}, Values{2.5, 3.5, 6});
  ASSERT_TRUE(found);
  // Means 2.5 and 4; variances of the mean 5/12 and 13/12 with 3 and 2 degrees of freedom: together
  // 3.49013 degrees, of which t at .975 is 2.943965 by numerical integration of its density.
  EXPECT_NEAR(found->low, 1.5 - 3.605606, 1e-5);
  EXPECT_NEAR(found->high, 1.5 + 3.605606, 1e-5);
}

TEST(DifferenceInterval, OfEqualSpreadsAndSizesIsStudents) {
  // t of 4 degrees of freedom at .975 is 2.776445; each variance of the mean is 1/3.
  const auto found = difference_interval(Values{1, 2, 3}, Values{11, 12, 13});
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->high - 10, 2.776445 * std::sqrt(2.0 / 3), 1e-5);
  EXPECT_NEAR(10 - found->low, 2.776445 * std::sqrt(2.0 / 3), 1e-5);
}

TEST(DifferenceInterval, NeedsThreeValuesASide) {
  EXPECT_FALSE(difference_interval(Values{1, 2}, Values{1, 2, 3}));
  EXPECT_FALSE(difference_interval(Values{1, 2, 3}, Values{1, 2}));
  EXPECT_FALSE(difference_interval(Values{}, Values{}));
}

TEST(DifferenceInterval, WithoutNoiseIsAPoint) {
  const auto found = difference_interval(Values{2, 2, 2}, Values{5, 5, 5});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->low, 3);
  EXPECT_EQ(found->high, 3);
}

TEST(RatioInterval, ExchangingTheSidesInvertsIt) {
  const Values a{100, 103, 99}, b{210, 190, 204, 197};
  const auto there = ratio_interval(a, b, 2.0), back = ratio_interval(b, a, 0.5);
  ASSERT_TRUE(there && back);
  EXPECT_NEAR(there->low * back->high, 1, 1e-12);
  EXPECT_NEAR(there->high * back->low, 1, 1e-12);
  EXPECT_LT(there->low, 2);
  EXPECT_GT(there->high, 2);
}

TEST(RatioInterval, HoldsTheEstimate) {
  const Values a{100, 100, 100}, b{200, 200, 200};
  const auto found = ratio_interval(a, b, 2.5);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->low, 2, 1e-12);
  EXPECT_EQ(found->high, 2.5);
}

TEST(RatioInterval, RefusesWhatIsNoTime) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {0.0, -1.0, infinity, std::nan("")})
    EXPECT_THROW(ratio_interval(Values{1, 2, bad}, Values{1, 2, 3}, 1), Error) << bad;
}

// The noise of processes in logarithms; medians as the estimate, as a comparison has it.
TEST(RatioInterval, HoldsTheTrueRatioAsOftenAsItSays) {
  std::mt19937_64 random(20261121);
  std::normal_distribution<double> normal;
  const auto times = [&](std::size_t n, double centre, double spread) {
    Values values;
    for (std::size_t i = 0; i < n; ++i)
      values.push_back(centre * std::exp(spread * normal(random)));
    return values;
  };
  struct Sides {
    std::size_t a, b;
    double spread_a, spread_b;
  };
  for (const Sides& sides : {Sides{3, 3, .01, .01}, Sides{3, 3, .01, .05}, Sides{3, 12, .02, .02},
                             Sides{10, 4, .01, .03}}) {
    constexpr int trials = 4000;
    int held = 0;
    for (int i = 0; i < trials; ++i) {
      const Values a = times(sides.a, 100, sides.spread_a), b = times(sides.b, 170, sides.spread_b);
      const auto found = ratio_interval(a, b, median(b) / median(a));
      held += found->low <= 1.7 && 1.7 <= found->high;
    }
    EXPECT_GT(held, 0.935 * trials) << sides.a << " against " << sides.b;
    EXPECT_LT(held, 0.99 * trials) << sides.a << " against " << sides.b;
  }
}

}  // namespace ratio_interval_test
}  // namespace ridgeline::stats
