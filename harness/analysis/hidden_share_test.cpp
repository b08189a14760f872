#include "harness/analysis/hidden_share.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace ridgeline::analysis {
namespace hidden_share_test {

CaseSummary timed(std::vector<double> medians_ns) {
  CaseSummary summary;
  summary.medians_ns = medians_ns;
  summary.median_ns = medians_ns[medians_ns.size() / 2];
  return summary;
}
CaseSummary always(double ns) { return timed({ns, ns, ns}); }

TEST(HiddenShare, IsThatOfTheShorterOfBoth) {
  const struct {
    double work, collective, both, share;
  } rows[] = {{100, 40, 100, 1},  // costs nothing
              {100, 40, 140, 0},  // one after the other
              {100, 40, 130, 0.25}, {40, 100, 130, 0.25}, {100, 40, 160, -0.5},  // longer than that
              {100, 100, 150, 0.5}};
  for (const auto& [work, collective, both, share] : rows) {
    const auto found = hidden_share(always(work), always(collective), always(both));
    ASSERT_TRUE(found && found->interval);
    EXPECT_DOUBLE_EQ(found->value, share) << work << ' ' << collective << ' ' << both;
    EXPECT_NEAR(found->interval->low, share, 1e-12);
    EXPECT_NEAR(found->interval->high, share, 1e-12);
  }
}

// With noise of `both` alone, 1.5 in 100 ns: 2 degrees of freedom, of which t at .975 is 4.302653.
TEST(HiddenShare, HasTheIntervalOfItsNoisiestPart) {
  const auto found = hidden_share(always(100), always(50), timed({118.5, 120, 121.5}));
  ASSERT_TRUE(found && found->interval);
  EXPECT_DOUBLE_EQ(found->value, 0.6);
  const double half = 4.302653 * 1.5 / std::sqrt(3.0) / 50;
  EXPECT_NEAR(found->interval->low, 0.6 - half, 1e-6);
  EXPECT_NEAR(found->interval->high, 0.6 + half, 1e-6);
}

// Numerically: the share of 100, 50 and 120 falls by 0.4 / 50 for each ns of the longer that both
// exceed it by, and the shorter counts by that excess alone.
TEST(HiddenShare, CountsEachPartByItsSlope) {
  const auto of_shorter = hidden_share(always(100), timed({49, 50, 51}), always(120));
  const auto of_longer = hidden_share(timed({99, 100, 101}), always(50), always(120));
  const auto half = [](const auto& found) {
    return (found->interval->high - found->interval->low) / 2;
  };
  EXPECT_NEAR(half(of_shorter) / half(of_longer), 0.4, 1e-9);
}

TEST(HiddenShare, NeedsAllTimesAndThreeProcesses) {
  EXPECT_FALSE(hidden_share({}, always(1), always(1)));
  EXPECT_FALSE(hidden_share(always(1), {}, always(1)));
  EXPECT_FALSE(hidden_share(always(1), always(1), {}));
  const auto found = hidden_share(always(1), always(1), timed({1.5, 1.5}));
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->interval);
}

TEST(SlowDown, IsTimeBesideOverTimeAlone) {
  const auto found = slow_down(timed({99, 100, 101}), timed({124, 125, 126}));
  ASSERT_TRUE(found && found->interval);
  EXPECT_DOUBLE_EQ(found->value, 1.25);
  EXPECT_GT(found->interval->low, 1.2);
  EXPECT_LT(found->interval->high, 1.3);
  EXPECT_FALSE(slow_down({}, always(1)));
  EXPECT_FALSE(slow_down(always(1), {}));
}

}  // namespace hidden_share_test
}  // namespace ridgeline::analysis
