#include "harness/analysis/level_back.hpp"

#include <gtest/gtest.h>

namespace ridgeline::analysis {
namespace level_back_test {

constexpr double least = .01;

/// Of 80 nights, every other one of the device: 100 until night 20, `level` from then on, and
/// `later` from night 40 on.
NightlyTimes times(double level, double later) {
  NightlyTimes made{"e1", {}, {}};
  for (std::uint32_t night = 0; night < 80; ++night) {
    made.nights.push_back(2 * night);
    made.median_ns.push_back(night < 20 ? 100 : night < 40 ? level : later);
  }
  return made;
}

TEST(LevelBack, IsWithinAThirdOrTheSmallestChangeOrBeyond) {
  EXPECT_TRUE(is_back(108, 100, 1.3, least));
  EXPECT_FALSE(is_back(110, 100, 1.3, least)) << "the third of a log";
  EXPECT_TRUE(is_back(50, 100, 1.3, least)) << "better than before";
  EXPECT_TRUE(is_back(100.9, 100, 1.015, least));
  EXPECT_TRUE(is_back(95, 100, .8, least));
  EXPECT_FALSE(is_back(90, 100, .8, least));
}

TEST(LevelBack, AFortnightIsOnceMostOfItIs) {
  constexpr std::size_t first = 2UL * 20, eighth_back = 2UL * 47, seventh_back = 2UL * 46;
  EXPECT_EQ(fortnight_back(times(130, 100), 100, first, 1.3, least), eighth_back);
  EXPECT_EQ(fortnight_back(times(130, 80), 100, first, 1.3, least), seventh_back)
      << "the middle of both levels is back already";
  EXPECT_EQ(fortnight_back(times(70, 97), 100, first, .7, least), eighth_back);
  EXPECT_FALSE(fortnight_back(times(130, 111), 100, first, 1.3, least));
  EXPECT_FALSE(fortnight_back(times(130, 130), 100, first, 1.3, least));
  EXPECT_FALSE(fortnight_back(times(101.2, 101), 100, first, 1.012, least))
      << "nearer to what it left";
  EXPECT_FALSE(fortnight_back(times(130, 100), {}, 0, 1.3, least)) << "nothing is known of before";
  EXPECT_EQ(fortnight_back(times(130, 100), 100, 2UL * 45, 1.3, least), 2UL * 59u)
      << "all of the fortnight lies behind that night";
  EXPECT_FALSE(fortnight_back(times(130, 100), 100, 2UL * 66, 1.3, least)) << "no fortnight yet";
}

TEST(LevelBack, TheFortnightBeforeIsOneOfNights) {
  EXPECT_EQ(fortnight_before(times(130, 100), 2UL * 20), 100);
  EXPECT_EQ(fortnight_before(times(130, 100), 2UL * 27 + 1), 130) << "eight nights of fourteen";
  EXPECT_EQ(fortnight_before(times(130, 100), 2), 100);
  EXPECT_FALSE(fortnight_before(times(130, 100), 0));
}

TEST(LevelBack, ACountIsOnTheNightThatHasItsValueOrABetterOne) {
  const NightlyCount count{
      "spills", "1", record::Direction::lower, {3, 4, 5, 6, 7}, {8, 300, 9, 6, 8}};
  EXPECT_EQ(count_back(count, 4), 6u) << "9 is not 8";
  EXPECT_EQ(count_back(count, 5), std::nullopt) << "it never was at 300 again";
  EXPECT_EQ(count_back(count, 6), std::nullopt);
  EXPECT_FALSE(count_back(count, 3)) << "the first";
  EXPECT_FALSE(count_back(count, 9)) << "no night of it";
}

}  // namespace level_back_test
}  // namespace ridgeline::analysis
