#include "harness/base/day.hpp"

#include <gtest/gtest.h>

namespace ridgeline {
namespace day_test {

TEST(ParseDay, ReadsADayOfTheCalendarAlone) {
  EXPECT_EQ(parse_day("1970-01-02")->time_since_epoch().count(), 1);
  EXPECT_TRUE(parse_day("2028-02-29"));
  for (const char* wrong : {"", "2026-02-29", "2026-13-01", "2026-1-31", "2026-01-311",
                            "2026/01/31", "-026-01-31", "2026-01-3x", "2026-01- 3", "20260131"})
    EXPECT_FALSE(parse_day(wrong)) << wrong;
}

TEST(Day, APointInTimeIsASecondThatThereIs) {
  for (const char* good : {"2026-01-31T23:59:59Z", "2024-02-29T00:00:00Z", "2016-12-31T23:59:60Z"})
    EXPECT_TRUE(is_point_in_time(good)) << good;
  for (const char* bad :
       {"", "2026-01-31", "2026-02-30T00:00:00Z", "9999-99-99T99:99:99Z", "0000-00-00T00:00:00Z",
        "2026-01-31T24:00:00Z", "2026-01-31T00:60:00Z", "2026-01-31T00:00:61Z",
        "2026-01-31T00:00:00+", "2026-01-31 00:00:00Z", "2026-01-31T0::00:00Z",
        "2026-01-31T00:00:00ZZ", "2026-01-31T00-00-00Z", "2026-01-31T:0:00:00Z"})
    EXPECT_FALSE(is_point_in_time(bad)) << bad;
}

TEST(Day, APointInTimeIsCountedInSeconds) {
  EXPECT_EQ(parse_point_in_time("1970-01-02T03:04:05Z")->time_since_epoch().count(),
            ((24 + 3) * 60 + 4) * 60 + 5);
  EXPECT_FALSE(parse_point_in_time("1970-01-02"));
}

}  // namespace day_test
}  // namespace ridgeline
