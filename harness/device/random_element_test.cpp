#include "harness/device/random_element.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include <gtest/gtest.h>

namespace ridgeline::device {
namespace random_element_test {

TEST(RandomElement, UniformTypesHaveTheMomentsOfTheirDistribution) {
  const int count = 200000;
  for (const DType dtype : {DType::f64, DType::f32, DType::tf32, DType::f16, DType::bf16}) {
    double sum = 0, squares = 0;
    for (int i = 0; i < count; ++i) {
      const double x =
          random_element(dtype, Distribution::uniform, 7, static_cast<std::uint64_t>(i));
      ASSERT_LE(std::fabs(x), 1);
      sum += x;
      squares += x * x;
    }
    // Standard errors at this count are 0.0013 and 0.0007; five of each.
    EXPECT_NEAR(sum / count, 0, 0.0065) << to_string(dtype);
    EXPECT_NEAR(squares / count, 1.0 / 3, 0.0035) << to_string(dtype);
  }
}

TEST(RandomElement, E4m3IsAboutNormal) {
  const int count = 200000;
  double sum = 0, squares = 0, fourth = 0, largest = 0;
  for (int i = 0; i < count; ++i) {
    const double x =
        random_element(DType::e4m3, Distribution::uniform, 7, static_cast<std::uint64_t>(i)) / 128;
    ASSERT_EQ(x, random_element(DType::e4m3_fast, Distribution::uniform, 7,
                                static_cast<std::uint64_t>(i)) /
                     128);
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
    largest = std::max(largest, std::fabs(x));
  }
  // Five standard errors; rounding adds a few thousandths to the square. The fourth moment of a
  // normal distribution is 3, that of a uniform one 1.8.
  EXPECT_NEAR(sum / count, 0, 0.012);
  EXPECT_NEAR(squares / count, 1, 0.02);
  EXPECT_NEAR(fourth / count, 2.7, 0.1);
  EXPECT_LE(largest, 3.5);
  EXPECT_GT(largest, 3.1);
  EXPECT_EQ(random_element(DType::e4m3, Distribution::zeros, 7, 1), 0);
}

TEST(RandomElement, StaysWithinTheTypesPrecision) {
  for (std::uint64_t i = 0; i < 10000; ++i) {
    const double f32 = random_element(DType::f32, Distribution::uniform, 1, i);
    EXPECT_EQ(f32, static_cast<float>(f32));
    EXPECT_LE(std::fabs(random_element(DType::bf16, Distribution::uniform, 1, i) - f32),
              std::fabs(f32) * 0x1p-8 + 0x1p-30);
    const double byte = random_element(DType::u8, Distribution::uniform, 1, i);
    EXPECT_TRUE(byte >= 0 && byte <= 255 && byte == std::floor(byte));
  }
}

TEST(RandomElement, GrowsFallsAndHasOutliersAsItsMagnitudeSays) {
  const auto largest = [](Distribution distribution, std::uint64_t first, std::uint64_t count) {
    double most = 0;
    for (std::uint64_t i = first; i < first + count; ++i)
      most = std::max(most, std::fabs(random_element(DType::f32, distribution, 3, i)));
    return most;
  };
  constexpr std::uint64_t part = 4096, last = magnitude_period - part;
  for (const std::uint64_t period : {std::uint64_t{0}, 5 * magnitude_period}) {
    EXPECT_LT(largest(Distribution::growing, period, part), 0.25);
    EXPECT_NEAR(largest(Distribution::growing, period + last, part), 16, 0.3);
    EXPECT_NEAR(largest(Distribution::falling, period, part), 16, 0.3);
    EXPECT_LT(largest(Distribution::falling, period + last, part), 0.25);
    constexpr std::uint64_t low = magnitude_period / 16;
    EXPECT_NEAR(largest(Distribution::low_first, period, low), 1, 0.01);
    EXPECT_NEAR(largest(Distribution::low_first, period + low, part), 16, 0.3);
    EXPECT_NEAR(largest(Distribution::low_first, period + last, part), 16, 0.3);
  }
  int outliers = 0, others = 0;
  for (std::uint64_t i = 0; i < 512'000; ++i) {
    const double x = random_element(DType::f64, Distribution::outliers, 3, i);
    const double usual = random_element(DType::f64, Distribution::uniform, 3, i);
    ASSERT_TRUE(x == usual || x == 32 * usual) << i;
    ++(x == usual ? others : outliers);
  }
  EXPECT_NEAR(outliers, 1000, 160);  // five standard deviations
  EXPECT_EQ(random_element(DType::i32, Distribution::growing, 1, 2), -735776155);
}

TEST(RandomElement, IsPositiveWithoutItsSign) {
  for (const DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16, DType::e4m3})
    for (std::uint64_t i = 0; i < 10000; ++i)
      ASSERT_EQ(random_element(dtype, Distribution::positive, 3, i),
                std::fabs(random_element(dtype, Distribution::uniform, 3, i)))
          << to_string(dtype) << ' ' << i;
}

TEST(RandomElement, DependsOnSeedAndIndexAndIsRepeatable) {
  std::set<double> values;
  for (std::uint64_t seed = 0; seed < 30; ++seed)
    for (std::uint64_t index = 0; index < 30; ++index) {
      values.insert(random_element(DType::f64, Distribution::uniform, seed, index));
      EXPECT_EQ(random_element(DType::f64, Distribution::zeros, seed, index), 0);
    }
  EXPECT_EQ(values.size(), 900u);
  // Written down once: stored seeds must mean the same inputs for ever.
  EXPECT_EQ(random_element(DType::i32, Distribution::uniform, 1, 2), -735776155);
  EXPECT_EQ(random_element(DType::f32, Distribution::uniform, 1, 2), 0x1.5093c80000000p-1);
  EXPECT_EQ(random_element(DType::e4m3, Distribution::uniform, 1, 2), 112);
}

}  // namespace random_element_test
}  // namespace ridgeline::device
