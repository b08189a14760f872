#include "harness/base/e4m3.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include <gtest/gtest.h>

namespace ridgeline {
namespace e4m3_test {

TEST(E4m3, HasTheNumbersOfItsSpecification) {
  EXPECT_EQ(from_e4m3(0x00), 0.0f);
  EXPECT_EQ(from_e4m3(0x01), 0x1p-9f);
  EXPECT_EQ(from_e4m3(0x07), 0.875f * 0x1p-6f);
  EXPECT_EQ(from_e4m3(0x08), 0x1p-6f);
  EXPECT_EQ(from_e4m3(0x38), 1.0f);
  EXPECT_EQ(from_e4m3(0xB9), -1.125f);
  EXPECT_EQ(from_e4m3(0x7E), 448.0f);
  EXPECT_TRUE(std::isnan(from_e4m3(0x7F)));
  EXPECT_TRUE(std::isnan(from_e4m3(0xFF)));
}

TEST(E4m3, EveryNumberSurvivesARoundTrip) {
  for (int bits = 0; bits < 256; ++bits)
    EXPECT_EQ(to_e4m3(from_e4m3(static_cast<std::uint8_t>(bits))), bits);
}

// Between two neighbours: what is nearer, and of the middle the one with an even mantissa.
TEST(E4m3, RoundsToTheNearestAndTiesToEven) {
  for (int low = 0; low < 0x7E; ++low) {
    const float a = from_e4m3(static_cast<std::uint8_t>(low)),
                b = from_e4m3(static_cast<std::uint8_t>(low + 1)), middle = (a + b) / 2;
    EXPECT_EQ(to_e4m3(std::nextafter(middle, 0.0f)), low);
    EXPECT_EQ(to_e4m3(middle), low % 2 == 0 ? low : low + 1);
    EXPECT_EQ(to_e4m3(-middle), 0x80 + (low % 2 == 0 ? low : low + 1));
    EXPECT_EQ(to_e4m3(std::nextafter(middle, 1000.0f)), low + 1);
  }
}

TEST(E4m3, SaturatesAndKeepsNaN) {
  EXPECT_EQ(to_e4m3(448.1f), 0x7E);
  EXPECT_EQ(to_e4m3(1e30f), 0x7E);
  EXPECT_EQ(to_e4m3(-std::numeric_limits<float>::infinity()), 0xFE);
  EXPECT_EQ(to_e4m3(std::numeric_limits<float>::quiet_NaN()) & 0x7F, 0x7F);
}

}  // namespace e4m3_test
}  // namespace ridgeline
