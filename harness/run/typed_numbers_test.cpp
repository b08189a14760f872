#include "harness/run/typed_numbers.hpp"

#include <gtest/gtest.h>

namespace ridgeline::run {
namespace typed_numbers_test {

TEST(Duration, ReadsWhatPeopleWrite) {
  EXPECT_DOUBLE_EQ(parse_duration("200ns").value(), 200e-9);
  EXPECT_DOUBLE_EQ(parse_duration("1.5us").value(), 1.5e-6);
  EXPECT_DOUBLE_EQ(parse_duration("200ms").value(), 0.2);
  EXPECT_DOUBLE_EQ(parse_duration("90s").value(), 90);
  EXPECT_DOUBLE_EQ(parse_duration("1.5m").value(), 90);
  EXPECT_DOUBLE_EQ(parse_duration("1h30m").value(), 5400);
}

TEST(Duration, RefusesEverythingElse) {
  for (const char* text : {"", "5", "s", "-1s", "0s", "0", "-1", "5x", "5 s", "1s,", "nans", "infs",
                           "1e400s", "99999h"})
    EXPECT_FALSE(parse_duration(text)) << text;
}

TEST(Fraction, ReadsWhatPeopleWrite) {
  EXPECT_DOUBLE_EQ(parse_fraction("3%").value(), 0.03);
  EXPECT_DOUBLE_EQ(parse_fraction("0.5%").value(), 0.005);
  EXPECT_DOUBLE_EQ(parse_fraction("0.03").value(), 0.03);
}

TEST(Fraction, RefusesEverythingElse) {
  for (const char* text : {"", "%", "3", "1", "100%", "0", "0%", "-3%", "3 %", "3%%", "3%x", "nan",
                           "inf%", "1e-2", "+1%"})
    EXPECT_FALSE(parse_fraction(text)) << text;
}

}  // namespace typed_numbers_test
}  // namespace ridgeline::run
