#include "harness/run/fraction.hpp"

#include <gtest/gtest.h>

namespace ridgeline::run {
namespace {

TEST(Fraction, ReadsWhatPeopleWrite) {
  EXPECT_DOUBLE_EQ(parse_fraction("3%").value(), 0.03);
  EXPECT_DOUBLE_EQ(parse_fraction("0.5%").value(), 0.005);
  EXPECT_DOUBLE_EQ(parse_fraction("0.03").value(), 0.03);
}

TEST(Fraction, RefusesEverythingElse) {
  for (const char* text :
       {"", "%", "3", "1", "100%", "0", "0%", "-3%", "3 %", "3%%", "3%x", "nan", "inf%", "1e-2", "+1%"})
    EXPECT_FALSE(parse_fraction(text)) << text;
}

}  // namespace
}  // namespace ridgeline::run
