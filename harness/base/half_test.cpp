#include "harness/base/half.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace ridgeline {
namespace half_test {

TEST(Half, EveryFiniteF16SurvivesARoundTrip) {
  for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = from_f16(half);
    if (std::isnan(value)) continue;
    ASSERT_EQ(to_f16(value), half) << bits;
    ASSERT_EQ(value, static_cast<float>(std::bit_cast<_Float16>(half))) << bits;
  }
}

TEST(Half, RoundsToNearestEvenAsTheCompilerDoes) {
  std::uint32_t state = 1;
  for (int i = 0; i < 200000; ++i) {
    state = state * 1664525u + 1013904223u;
    const auto value = std::bit_cast<float>(state);
    if (std::isnan(value)) continue;
    ASSERT_EQ(to_f16(value), std::bit_cast<std::uint16_t>(static_cast<_Float16>(value))) << value;
  }
}

TEST(Half, Bf16KeepsTheNearestUpperHalf) {
  EXPECT_EQ(to_bf16(1.0f), 0x3F80);
  EXPECT_EQ(to_bf16(1.00390625f), 0x3F80);  // halfway: to even
  EXPECT_EQ(to_bf16(1.01171875f), 0x3F82);  // halfway: to even, upwards
  EXPECT_TRUE(std::isnan(from_bf16(to_bf16(std::numeric_limits<float>::signaling_NaN()))));
  EXPECT_TRUE(std::isinf(from_bf16(to_bf16(3.4e38f))));
}

}  // namespace half_test
}  // namespace ridgeline
