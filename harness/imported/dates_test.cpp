#include "harness/imported/dates.hpp"

#include <gtest/gtest.h>

namespace ridgeline::imported {
namespace dates_test {

TEST(UtcOf, TakesZonesFractionsAndSpaces) {
  for (const char* text :
       {"2026-11-28T06:30:00Z", "2026-11-28T07:30:00+01:00", "2026-11-28 06:30:00",
        "2026-11-28T06:30:00.123456", "2026-11-27T23:30:00-0700", "2026-11-28 06:30:00 +00:00"})
    EXPECT_EQ(utc_of(text), "2026-11-28T06:30:00Z") << text;
}

TEST(UtcOf, IsEmptyForAllElse) {
  for (const char* text :
       {"", "now", "2026-11-28", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z",
        "2026-11-28T24:00:00Z", "2026-11-28T06:30:00X", "2026-11-28T06:30:00+99:00",
        "1969-12-31T23:59:59Z", "2026-11-28T06:30:0", "1970-01-01T00:00:00+01:00"})
    EXPECT_EQ(utc_of(text), "") << text;
}

}  // namespace dates_test
}  // namespace ridgeline::imported
