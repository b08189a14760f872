#include "harness/base/day.hpp"

#include <gtest/gtest.h>

namespace ridgeline {
namespace {

TEST(ParseDay, ReadsADayOfTheCalendarAlone) {
  EXPECT_EQ(parse_day("1970-01-02")->time_since_epoch().count(), 1);
  EXPECT_TRUE(parse_day("2028-02-29"));
  for (const char* wrong : {"", "2026-02-29", "2026-13-01", "2026-1-31", "2026-01-311",
                            "2026/01/31", "-026-01-31", "2026-01-3x", "2026-01- 3", "20260131"})
    EXPECT_FALSE(parse_day(wrong)) << wrong;
}

}  // namespace
}  // namespace ridgeline
