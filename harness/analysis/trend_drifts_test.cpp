#include <algorithm>

#include <gtest/gtest.h>

#include "harness/analysis/trend_fixture.hpp"

namespace ridgeline::analysis {
namespace {

using examples::Nights;

TEST_F(Trend, ADriftIsFoundThatNoNightShows) {
  Nights nights;
  nights.noise = .001;
  nights.level = [](int of, int night) { return of == 2 ? .0004 * std::max(0, night - 120) : 0.0; };
  int found_on = 0;
  add(nights, 0, 140);
  for (int n = 140; n < 190 && found_on == 0; ++n) {
    add(nights, n, n + 1);
    const DeviceTrend found = trend();
    for (const TrendDrift& drift : found.drifts) {
      EXPECT_EQ(drift.case_name, examples::case_name(2));
      EXPECT_TRUE(fails(drift));
      EXPECT_GT(drift.ratio, 1.01);
      found_on = n;
    }
  }
  EXPECT_GT(found_on, 0);
  add(nights, found_on + 1, found_on + 2);
  for (const TrendDrift& drift : trend().drifts) EXPECT_FALSE(drift.is_new);
}

TEST_F(Trend, ASlopeIsADriftAndNoStep) {
  Nights nights;
  nights.level = [](int of, int night) { return of == 1 ? .001 * std::max(0, night - 80) : 0.0; };
  add(nights, 0, 140);
  const DeviceTrend found = trend();
  EXPECT_TRUE(found.changes.empty());
  ASSERT_EQ(found.drifts.size(), 1u);
  EXPECT_EQ(found.drifts[0].case_name, examples::case_name(1));
  EXPECT_NEAR(static_cast<double>(found.drifts[0].from), 85, 15);
  EXPECT_LT(found.drifts[0].raised, 125u) << "before it is three months old";
  EXPECT_GT(found.drifts[0].ratio, 1.025);
  EXPECT_LT(found.drifts[0].range.low, found.drifts[0].ratio);
}

}  // namespace
}  // namespace ridgeline::analysis
