#include "harness/stats/told_drifts.hpp"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "harness/stats/noise_examples.hpp"

namespace ridgeline::stats {
namespace told_drifts_test {

using examples::Nights;

constexpr double least_step = .01;

struct Watched {
  StepWatch steps;
  DriftWatch drifts;

  explicit Watched(const Nights& nights) {
    for (const double night : nights) {
      steps.add(night);
      drifts.add(steps, least_step);
    }
  }
  std::vector<ToldDrift> told() const { return told_drifts(steps, drifts, 0, 0); }
};

/// Of noise of 0.3%: up by `a_night` on the nights [80, 80 + lasting), and down on as many from the
/// 180th on.
Nights up_and_down(std::uint32_t seed, double a_night, std::size_t lasting) {
  Nights nights = examples::noise(seed, 280, .003);
  for (std::size_t i = 0; i < nights.size(); ++i)
    nights[i] += a_night * (static_cast<double>(std::clamp<std::size_t>(i, 80, 80 + lasting)) -
                            static_cast<double>(std::clamp<std::size_t>(i, 180, 180 + lasting)));
  return nights;
}

TEST(ToldDrifts, StayWhenOneOfTheOtherDirectionFollows) {
  int both = 0;
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const Nights nights = up_and_down(600 + seed, .004, 30);
    const std::vector<ToldDrift> all = Watched(nights).told();
    const auto up = std::ranges::count_if(all, [](const ToldDrift& one) { return one.size > 0; });
    both += up > 0 && up < std::ssize(all) ? 1 : 0;
    for (const ToldDrift& one : all) {
      EXPECT_LT(one.begin, one.end);
      EXPECT_LE(one.told, one.end);
      EXPECT_TRUE(one.range.low < one.size && one.size < one.range.high);
      EXPECT_EQ(one.size > 0, one.begin < 150) << seed;
    }
  }
  EXPECT_GE(both, 15);
}

TEST(ToldDrifts, BeginBeforeTheNightThatToldThem) {
  for (std::uint32_t seed = 0; seed < 10; ++seed) {
    Nights nights = examples::noise(700 + seed, 400, .003);
    for (std::size_t i = 80; i < nights.size(); ++i)
      nights[i] += .0008 * static_cast<double>(i - 80);
    const std::vector<ToldDrift> all = Watched(nights).told();
    EXPECT_FALSE(all.empty()) << seed;
    for (const ToldDrift& one : all) EXPECT_LT(one.begin, one.told) << seed;
  }
}

TEST(ToldDrifts, OfAPastThatIsOverStayAsTheyAre) {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const Nights nights = up_and_down(600 + seed, .004, 30);
    const std::vector<ToldDrift> all = Watched(nights).told(),
                                 then = Watched({nights.begin(), nights.begin() + 175}).told();
    ASSERT_LE(then.size(), all.size());
    for (std::size_t i = 0; i < then.size(); ++i) {
      EXPECT_EQ(then[i].begin, all[i].begin) << seed;
      EXPECT_EQ(then[i].told, all[i].told) << seed;
      if (then[i].end < 175) {
        EXPECT_EQ(then[i].end, all[i].end) << seed;
      }
      if (then[i].end == all[i].end) {
        EXPECT_NEAR(then[i].size, all[i].size, 1e-4) << seed;
      }
    }
  }
}

TEST(ToldDrifts, OfOneSlopeAreOne) {
  int slopes = 0, drifts = 0;
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    const Watched watched(up_and_down(700 + seed, .0015, 60));
    const bool has_slope = std::ranges::any_of(
        watched.steps.steps(), [](const LevelStep& step) { return step.slope.has_value(); });
    slopes += has_slope ? 1 : 0;
    drifts += watched.drifts.told().empty() ? 0 : 1;
    for (const ToldDrift& one : watched.told())
      for (const ToldDrift& other : watched.told()) {
        if (one.begin >= other.begin || one.size * other.size < 0 || other.begin >= one.end)
          continue;
        EXPECT_TRUE(std::ranges::any_of(watched.steps.steps(),
                                        [&](const LevelStep& step) {
                                          return !step.slope && step.place.at > one.begin &&
                                                 step.told <= other.end;
                                        }))
            << seed << ": the same nights twice, without a step between";
      }
  }
  EXPECT_GE(slopes, 10);
  EXPECT_GE(drifts, 10);
}

}  // namespace told_drifts_test
}  // namespace ridgeline::stats
