#include "harness/stats/slow_processes.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace ridgeline::stats {
namespace slow_processes_test {

using Values = std::vector<double>;

constexpr double endless = std::numeric_limits<double>::infinity();

TEST(SlowProcesses, AreCutOffAtTheWidestGap) {
  const SlowProcesses found =
      slow_processes(Values{0, .001, -.001, .002, 0, .001, -.002, .001, 0, .001, .002, -.001},
                     Values{.0975, -.0025, .0975, -.0015, .0985, -.0035, -.0025, .0975, .0965,
                            -.0005, -.0015, .0975},
                     4);
  EXPECT_EQ(found.p, std::ldexp(1., -6));
  EXPECT_NEAR(found.cut, .04925, 1e-5);
  EXPECT_EQ(found.candidate, 6);
  EXPECT_EQ(found.baseline, 0);
}

TEST(SlowProcesses, OfTwoModesTheSlowOneBecameSlower) {
  const SlowProcesses found = slow_processes(Values{0, .118, .119, 0, .117, 0},
                                             Values{.2975, -.0025, .2985, -.0025, .2995, .2975}, 2);
  EXPECT_EQ(found.p, std::ldexp(1., -4));
  EXPECT_NEAR(found.cut, .20825, 1e-5);
  EXPECT_EQ(found.candidate, 4);
}

TEST(SlowProcesses, MayBeInfinitelySlow) {
  const SlowProcesses found =
      slow_processes(Values{0, 0, 0, 0}, Values{endless, endless, .1, 0}, 1);
  EXPECT_EQ(found.cut, .1) << "the widest gap lies below the infinite ones";
  EXPECT_EQ(found.candidate, 2);
  EXPECT_EQ(found.p, .25);
}

TEST(SlowProcesses, AreNoneWithoutAGapOrWithTooFewPairs) {
  EXPECT_EQ(slow_processes(Values{1, 1, 1}, Values{1, 1, 1}, 1).p, 1);
  EXPECT_EQ(slow_processes(Values{0, 0, 0}, Values{1, 1, 1}, 4).p, 1);
  EXPECT_EQ(slow_processes(Values{0, 1e-13, 0}, Values{2e-13, 0, 1e-13}, 1).p, 1);
  EXPECT_EQ(slow_processes(Values{}, Values{}, 1).p, 1);
}

TEST(SlowProcesses, ThatChancePutOnEitherSideAreAsRareAsTheirP) {
  // Three of eight pairs have a slow process, on every side in turn: all patterns of signs.
  const Values ordinary{.01, .02, .03, .04, .05, .06, .07, .08};
  int as_rare = 0;
  for (unsigned signs = 0; signs < 8; ++signs) {
    Values baseline = ordinary, candidate = ordinary;
    for (unsigned i = 0; i < 3; ++i) ((signs >> i & 1u) != 0 ? candidate : baseline)[i] = 1;
    as_rare += slow_processes(baseline, candidate, 3).p <= .125 ? 1 : 0;
  }
  EXPECT_EQ(as_rare, 1);
}

}  // namespace slow_processes_test
}  // namespace ridgeline::stats
