#include "harness/stats/interval.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace ridgeline::stats {
namespace interval_test {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// How many values lie below the interval's ends, read off the interval of 1, 2, ..., n.
std::optional<std::pair<int, int>> ranks(int n, double confidence) {
  std::vector<double> values;
  for (int i = 1; i <= n; ++i) values.push_back(i);
  const auto interval = median_interval(values, confidence);
  if (!interval) return std::nullopt;
  return std::pair{static_cast<int>(interval->low), static_cast<int>(interval->high)};
}

// Exact: each of the 2^n patterns of n values below or above the true median is equally likely, and
// the interval between the order statistics `low` and `high` (1-based) covers it when at least
// `low` and fewer than `high` values lie below.
double coverage_by_enumeration(int n, int low, int high) {
  std::uint32_t covered = 0;
  for (std::uint32_t pattern = 0; pattern < 1u << n; ++pattern) {
    const int below = __builtin_popcount(pattern);
    covered += below >= low && below < high ? 1 : 0;
  }
  return covered / std::ldexp(1.0, n);
}

TEST(MedianInterval, IsTheNarrowestSymmetricOneThatCoversByEnumeration) {
  for (const double confidence : {0.5, 0.8, 0.9, 0.9375, 0.95, 0.99}) {
    for (int n = 1; n <= 18; ++n) {
      const auto found = ranks(n, confidence);
      if (!found) {
        EXPECT_LT(coverage_by_enumeration(n, 1, n), confidence) << n;
        continue;
      }
      const auto [low, high] = *found;
      EXPECT_EQ(low + high, n + 1);
      EXPECT_GE(coverage_by_enumeration(n, low, high), confidence) << n;
      if (low + 1 <= high - 1) {
        EXPECT_LT(coverage_by_enumeration(n, low + 1, high - 1), confidence)
            << n << ' ' << confidence;
      }
    }
  }
}

TEST(MedianInterval, HasThePublishedRanks) {
  // Conover, Practical Nonparametric Statistics: sign test, two-sided 5%.
  const std::pair<int, std::pair<int, int>> cases[] = {
      {6, {1, 6}},   {9, {2, 8}},   {10, {2, 9}},   {15, {4, 12}},
      {20, {6, 15}}, {25, {8, 18}}, {50, {18, 33}}, {100, {40, 61}}};
  for (const auto& [n, expected] : cases) EXPECT_EQ(ranks(n, 0.95), expected) << n;
}

TEST(MedianInterval, NeedsSixValuesAt95Percent) {
  for (int n = 1; n <= 5; ++n) EXPECT_FALSE(ranks(n, 0.95)) << n;
  EXPECT_TRUE(ranks(6, 0.95));
}

TEST(MedianInterval, NarrowsAsValuesAreAdded) {
  double before = 1;
  for (const int n : {10, 100, 1000, 10000}) {
    const auto [low, high] = ranks(n, 0.95).value();
    const double width = static_cast<double>(high - low) / n;
    // Normal approximation: 1.96 / sqrt(n), one rank of slack on each side.
    EXPECT_NEAR(width, 1.96 / std::sqrt(n), 2.0 / n);
    EXPECT_LT(width, before);
    before = width;
  }
}

TEST(MedianInterval, RefusesNothingAndNoNumber) {
  EXPECT_THROW(median_interval({}), Error);
  EXPECT_THROW(median_interval(std::vector<double>{1, 2, 3, nan, 5, 6, 7}), Error);
  for (const double confidence : {0.0, 1.0, -1.0, nan}) EXPECT_THROW(ranks(10, confidence), Error);
}

TEST(RelativeHalfWidth, IsRelativeToTheMedian) {
  const std::vector<double> values{100, 102, 98, 101, 99,
                                   100, 104, 96, 103, 97};  // ranks 2 and 9: 97 and 103
  EXPECT_DOUBLE_EQ(relative_half_width(values).value(), 0.03);
  EXPECT_EQ(relative_half_width(std::vector<double>(10, 5.0)), 0);
}

TEST(RelativeHalfWidth, IsAbsentWithoutAnIntervalOrAPositiveMedian) {
  EXPECT_FALSE(relative_half_width(std::vector<double>{1, 2, 3, 4, 5}));
  EXPECT_FALSE(relative_half_width(std::vector<double>(10, 0.0)));
  EXPECT_FALSE(relative_half_width(std::vector<double>(10, -1.0)));
  EXPECT_THROW(relative_half_width({}), Error);
}

TEST(ProcessInterval, UsesPublishedValuesOfStudentsT) {
  // Logarithms -1, 0, 1, then copies of both ends, have mean 0 and a standard error that is easily
  // worked out by hand.
  struct Row {
    int ends;  // copies of -1 and of 1
    double confidence, t, standard_error;
  };
  const Row rows[] = {
      {1, 0.95, 4.302652729911275, std::sqrt(2.0 / 2 / 3)},      // t(2), two-sided 5%
      {2, 0.95, 2.7764451051977987, std::sqrt(4.0 / 4 / 5)},     // t(4)
      {5, 0.95, 2.2281388519649385, std::sqrt(10.0 / 10 / 11)},  // t(10)
      {1, 0.99, 9.92484320091807, std::sqrt(2.0 / 2 / 3)},       // t(2), two-sided 1%
      {15, 0.90, 1.697260886593957, std::sqrt(30.0 / 30 / 31)},  // t(30), two-sided 10%
  };
  for (const Row& row : rows) {
    std::vector<double> medians{1};
    for (int i = 0; i < row.ends; ++i)
      medians.insert(medians.end(), {std::exp(-1.0), std::exp(1.0)});
    const Interval interval = process_interval(medians, row.confidence).value();
    EXPECT_NEAR(std::log(interval.high), row.t * row.standard_error, 1e-9);
    EXPECT_NEAR(std::log(interval.low), -row.t * row.standard_error, 1e-9);
  }
}

TEST(ProcessInterval, HasNoPreferenceForAUnit) {
  const Interval ns = process_interval(std::vector<double>{100, 110, 105}).value();
  const Interval us = process_interval(std::vector<double>{0.1, 0.11, 0.105}).value();
  EXPECT_NEAR(ns.low / us.low, 1000, 1e-6);
  EXPECT_NEAR(ns.high / us.high, 1000, 1e-6);
}

TEST(ProcessInterval, ItsWidthIsThatOfTheIntervalOverTheMedianOfAll) {
  const std::vector<double> medians{100, 110, 90};
  const Interval interval = process_interval(medians).value();
  EXPECT_DOUBLE_EQ(relative_process_half_width(medians).value(),
                   (interval.high - interval.low) / 200);
  EXPECT_FALSE(relative_process_half_width(std::vector<double>{100, 110}));
  // Of a scatter by s = 1% in the logarithms: 2.48 s with 3 processes, 0.635 s with 12.
  const auto scattered = [](int copies) {
    const double s = 0.01, step = s * std::sqrt((3.0 * copies - 1) / (2 * copies));
    std::vector<double> values;
    for (int i = 0; i < copies; ++i)
      for (const double x : {-step, 0.0, step}) values.push_back(std::exp(x));
    return values;
  };
  EXPECT_NEAR(relative_process_half_width(scattered(1)).value(), 0.0248, 1e-4);
  EXPECT_NEAR(relative_process_half_width(scattered(4)).value(), 0.00635, 1e-5);
}

TEST(ProcessInterval, IsAbsentBelowThreeProcesses) {
  EXPECT_FALSE(process_interval({}));
  EXPECT_FALSE(process_interval(std::vector<double>{1}));
  EXPECT_FALSE(process_interval(std::vector<double>{1, 2}));
  const Interval equal = process_interval(std::vector<double>{2, 2, 2}).value();
  EXPECT_DOUBLE_EQ(equal.low, 2);
  EXPECT_DOUBLE_EQ(equal.high, 2);
}

TEST(ProcessInterval, RefusesWhatIsNoTime) {
  for (const double bad : {0.0, -1.0, nan, std::numeric_limits<double>::infinity()})
    for (const std::size_t others : {0u, 1u, 5u}) {
      std::vector<double> medians(others, 3.0);
      medians.push_back(bad);
      EXPECT_THROW(process_interval(medians), Error) << bad;
    }
}

}  // namespace interval_test
}  // namespace ridgeline::stats
