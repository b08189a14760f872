#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "harness/analysis/trend_fixture.hpp"

namespace ridgeline::analysis {
namespace trend_drifts_test {

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
  const DeviceTrend later = trend();
  EXPECT_FALSE(later.drifts.empty());
  for (const TrendDrift& drift : later.drifts) EXPECT_FALSE(drift.is_new);
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

/// "2026-03-22 to 2026-05-20, told 2026-04-26" of each.
std::vector<std::string> told(const DeviceTrend& trend) {
  std::vector<std::string> all;
  const auto date = [&](std::size_t night) { return trend.nights.nights[night].date; };
  for (const TrendDrift& drift : trend.drifts)
    all.push_back(fmt::format("{} to {}, told {}, {:.4f}", date(drift.from), date(drift.last),
                              date(drift.raised), drift.ratio));
  return all;
}

TEST_F(Trend, ASlopeUpStaysToldWhenOneDownFollows) {
  Nights nights;
  nights.level = [](int of, int night) {
    return of == 1 ? .004 * (std::clamp(night - 80, 0, 30) - std::clamp(night - 170, 0, 30)) : 0.0;
  };
  add(nights, 0, 260);
  const TrendRules rules{.least_step = {}, .new_nights = 1, .shown_nights = 260};
  SeriesChoice choice;
  choice.until = examples::day(150);
  const DeviceTrend then = trend(rules, choice), later = trend(rules);
  ASSERT_GE(then.drifts.size(), 1u);
  ASSERT_GT(later.drifts.size(), then.drifts.size());
  for (const TrendDrift& drift : then.drifts) EXPECT_GT(drift.ratio, 1.03);
  for (std::size_t i = 0; i < later.drifts.size(); ++i) {
    if (i < then.drifts.size())
      EXPECT_EQ(told(later)[i], told(then)[i]);
    else
      EXPECT_LT(later.drifts[i].ratio, .97);
  }
  EXPECT_NEAR(static_cast<double>(later.drifts.back().from), 170, 10);
  EXPECT_NEAR(static_cast<double>(later.drifts.back().last), 200, 10);
  EXPECT_GT(later.drifts.back().recent.size(), 60u) << "with nights before and behind it";
  const DeviceTrend shown = trend({.least_step = {}, .new_nights = 1, .shown_nights = 90});
  EXPECT_EQ(shown.drifts.size(), later.drifts.size() - then.drifts.size());
  EXPECT_GE(shown.older, then.drifts.size()) << "those before are counted";
}

TEST_F(Trend, ADriftThatGoesOnIsExplainedAsItWasWhenItWasTold) {
  Nights nights;
  nights.level = [](int of, int night) {
    return of == 1 ? .002 * std::clamp(night - 80, 0, 60) : 0.0;
  };
  nights.driver = [](int night) { return night < 128 ? "580.1" : "580.2"; };
  add(nights, 0, 125);
  std::optional<TrendDrift> then;
  int seen = 0;
  for (int night = 125; night < 160; ++night) {
    add(nights, night, night + 1);
    const DeviceTrend found = trend();
    ASSERT_GE(found.drifts.size(), 1u);
    const TrendDrift& now = found.drifts[0];  // it is told again much later
    if (!then) then = now;
    EXPECT_EQ(now.why->cause, then->why->cause) << night;
    EXPECT_EQ(now.why->evidence, then->why->evidence) << night;
    EXPECT_EQ(now.changes.environment, then->changes.environment) << night;
    EXPECT_EQ(now.changes.before_run, then->changes.before_run) << night;
    EXPECT_EQ(now.changes.after_run, then->changes.after_run) << night;
    ++seen;
  }
  EXPECT_EQ(seen, 35);
}

}  // namespace trend_drifts_test
}  // namespace ridgeline::analysis
