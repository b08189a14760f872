#include "harness/analysis/trend.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

#include "harness/analysis/trend_fixture.hpp"
#include "harness/base/error.hpp"

namespace ridgeline::analysis {
namespace trend_test {

using examples::Nights;

TEST_F(Trend, AStepIsARegressionBetweenTwoCommits) {
  const Nights nights = with_step(80, .06);
  add(nights, 0, 82);
  const DeviceTrend found = trend();
  EXPECT_EQ(found.series, 3u);
  ASSERT_EQ(found.changes.size(), 1u);
  const TrendChange& change = found.changes[0];
  EXPECT_EQ(change.case_name, examples::case_name(1));
  EXPECT_EQ(change.kind, TrendKind::regression);
  EXPECT_EQ(change.night, 80u);
  EXPECT_EQ(change.earliest, 80u);
  EXPECT_EQ(change.latest, 80u);
  EXPECT_EQ(change.raised, 81u) << "20 standard deviations, after two nights";
  EXPECT_EQ(change.evidence->nights, 2u);
  EXPECT_GT(change.evidence->score, 1);
  EXPECT_FALSE(change.undone || change.undoes || change.mode);
  EXPECT_NEAR(change.before, 2000, 20);
  EXPECT_NEAR(change.after / change.before, std::exp(.06), .01);
  EXPECT_TRUE(change.ratio->low < std::exp(.06) && std::exp(.06) < change.ratio->high);
  EXPECT_EQ(change.changes.before_commit, nights.commit(79));
  EXPECT_EQ(change.changes.after_commit, nights.commit(80));
  EXPECT_EQ(change.changes.before_run, "night0079");
  EXPECT_TRUE(change.changes.environment.empty())
      << "readings explain nothing: " << change.changes.environment[0];
  EXPECT_TRUE(change.is_new);
  EXPECT_TRUE(fails(change));
}

TEST_F(Trend, AChangeIsNewOnceAndWorseOnlyWhenSlower) {
  const Nights nights = with_step(80, .06);
  add(nights, 0, 80);
  int failing = 0;
  for (int night = 80; night < 100; ++night) {
    add(nights, night, night + 1);
    for (const TrendChange& change : trend().changes) failing += fails(change) ? 1 : 0;
  }
  EXPECT_EQ(failing, 1);
  TrendRules rules;
  rules.new_nights = 19;
  EXPECT_TRUE(fails(trend(rules).changes.at(0)));
}

TEST_F(Trend, AFasterCaseIsAnImprovement) {
  add(with_step(80, -.06), 0, 82);
  const DeviceTrend found = trend();
  ASSERT_EQ(found.changes.size(), 1u);
  EXPECT_EQ(found.changes[0].kind, TrendKind::improvement);
  EXPECT_TRUE(found.changes[0].is_new);
  EXPECT_FALSE(fails(found.changes[0]));
}

TEST_F(Trend, SmallerChangesThanTheLeastStepDoNotCount) {
  add(with_step(80, .04), 0, 90);
  TrendRules rules;
  EXPECT_EQ(trend(rules).changes.size(), 1u);
  rules.least_step = .05;
  EXPECT_EQ(trend(rules).changes.size(), 0u);
}

TEST_F(Trend, EvidenceIsAwaitedAndNoCalendar) {
  const Nights nights = with_step(30, .06);
  add(nights, 0, 4);
  EXPECT_EQ(trend().too_short, 3u) << "a level needs nights on both sides of it";
  add(nights, 4, 32);
  const DeviceTrend found = trend();
  EXPECT_EQ(found.too_short, 0u);
  ASSERT_EQ(found.changes.size(), 1u);
  EXPECT_TRUE(fails(found.changes[0]));
}

TEST_F(Trend, ANightTellsTheSameWheneverItIsAsked) {
  Nights nights = with_step(60, .05);
  nights.level = [of = nights.level](int which, int night) {
    return *of(which, night) + (which == 0 && night >= 70 && night < 76 ? .08 : 0);
  };
  add(nights, 0, 110);
  const DeviceTrend later = trend();
  ASSERT_EQ(later.changes.size(), 3u);
  for (const TrendChange& change : later.changes) {
    store::TemporaryFolder other;
    store::Store store = store::Store::create(other / "synthetic-gpu.sqlite");
    examples::add_nights(store, nights, 0, static_cast<int>(*change.raised) + 1);
    auto devices = nightly_series(other.path(), {}, [](const Error&) {});
    const DeviceTrend then = trend_of(std::move(devices.at(0)), {});
    const auto same = std::ranges::find_if(then.changes, &TrendChange::is_new);
    ASSERT_NE(same, then.changes.end());
    EXPECT_EQ(same->case_name, change.case_name);
    EXPECT_EQ(same->kind, change.kind);
    EXPECT_EQ(same->raised, change.raised);
    EXPECT_EQ(same->evidence->score, change.evidence->score);
  }
}

TEST_F(Trend, JumpsOfAClockThatIsKnownAreNoSteps) {
  // Samples of 20 executions that take 1000 ns each.
  constexpr double tick_ns = 1000, jump = tick_ns / 20 / 1000;
  Nights nights;
  nights.cases = 1;
  nights.noise = 0;
  nights.level = [](int, int night) {
    const bool up = (11 <= night && night <= 13) || night == 25 || night == 26 || night == 40;
    return std::log1p(night >= 60 ? 5 * jump : up ? jump : 0);
  };
  add(nights, 0, 62);
  EXPECT_EQ(trend().changes.size(), 3u);
  TrendRules rules;
  rules.tick_ns = tick_ns;
  const DeviceTrend found = trend(rules);
  ASSERT_EQ(found.changes.size(), 1u);
  EXPECT_EQ(found.changes[0].night, 60u) << "five ticks at once";
  rules.tick_ns = 3 * tick_ns;
  EXPECT_TRUE(trend(rules).changes.empty());
}

TEST_F(Trend, AStepThatIsTakenBackSaysSo) {
  Nights nights;
  nights.level = [](int of, int night) { return of == 0 && night >= 70 && night < 76 ? .08 : 0; };
  add(nights, 0, 90);
  const DeviceTrend found = trend();
  ASSERT_EQ(found.changes.size(), 2u);
  EXPECT_EQ(found.changes[0].kind, TrendKind::regression);
  EXPECT_EQ(found.changes[0].undone, found.changes[1].raised);
  EXPECT_EQ(found.changes[1].kind, TrendKind::improvement);
  EXPECT_EQ(found.changes[1].undoes, 70u);
}

TEST_F(Trend, WhatGoesToAndFroIsAModeAndNeverNew) {
  Nights nights;
  nights.level = [](int of, int night) { return of == 0 && night / 20 % 2 == 1 ? .08 : 0; };
  add(nights, 0, 102);
  const DeviceTrend found = trend();
  ASSERT_EQ(found.changes.size(), 5u);
  EXPECT_FALSE(found.changes[2].mode);
  EXPECT_TRUE(found.changes[4].mode);
  EXPECT_EQ(found.changes[4].raised, 101u);
  EXPECT_FALSE(found.changes[4].is_new);
}

TEST_F(Trend, OldChangesAreCounted) {
  add(with_step(80, .06), 0, 100);
  const DeviceTrend found = trend({.least_step = {}, .new_nights = 1, .shown_nights = 10});
  EXPECT_TRUE(found.changes.empty());
  EXPECT_EQ(found.older, 1u);
}

TEST_F(Trend, CountsChangeWhenTheyChange) {
  const record::Case info = store::examples::gemm_case();
  {
    store::Store store = store::Store::create(file);
    for (int night = 0; night < 5; ++night) {
      record::Run run =
          store::examples::run(fmt::format("night{}", night), examples::day(night) + "T02:00:00Z");
      run.device_uuid = store::examples::counting_device().uuid;
      store::begin(store, run, store::examples::counting_device(), store::examples::environment());
      record::Measurement m = store::examples::counted(info);
      if (night >= 4)
        m.metrics = {{"barriers", 1, "1", record::Direction::lower},
                     {"global_load_sectors", 640, "1", record::Direction::lower}};
      store::add(store, store::add(store, store::examples::process(0, run.id)), info, m);
    }
  }
  const DeviceTrend found = trend();
  ASSERT_EQ(found.changes.size(), 1u);
  const TrendChange& change = found.changes[0];
  EXPECT_EQ(change.kind, TrendKind::regression);
  EXPECT_EQ(change.metric, "global_load_sectors");
  EXPECT_EQ(change.other_metrics, 1u);
  EXPECT_EQ(change.before, 512);
  EXPECT_EQ(change.after, 640);
  EXPECT_EQ(change.night, 4u);
  EXPECT_FALSE(change.ratio.has_value());
  EXPECT_TRUE(fails(change));
}

TEST_F(Trend, ACountThatGoesToAndFroIsAMode) {
  const record::Case info = store::examples::gemm_case();
  {
    store::Store store = store::Store::create(file);
    for (int night = 0; night < 9; ++night) {
      record::Run run =
          store::examples::run(fmt::format("night{}", night), examples::day(night) + "T02:00:00Z");
      run.device_uuid = store::examples::counting_device().uuid;
      store::begin(store, run, store::examples::counting_device(), store::examples::environment());
      record::Measurement m = store::examples::counted(info);
      const double sectors = night == 8 ? 1002 : 1000 + night % 2;
      m.metrics = {{"global_load_sectors", sectors, "1", record::Direction::lower}};
      store::add(store, store::add(store, store::examples::process(0, run.id)), info, m);
    }
  }
  const DeviceTrend found = trend({.least_step = {}, .new_nights = 9, .shown_nights = 90});
  ASSERT_EQ(found.changes.size(), 8u);
  for (std::size_t i = 0; i < 8; ++i) {
    const TrendChange& change = found.changes[i];
    EXPECT_EQ(change.mode, i >= 3 && i < 7) << i << ": a value of its own is none";
    EXPECT_EQ(change.is_new, !change.mode) << i;
  }
}

TEST_F(Trend, ACaseThatStoppedIsFound) {
  Nights nights;
  nights.level = [](int of, int night) -> std::optional<double> {
    if (of == 0 && night >= 20) return {};
    return 0.0;
  };
  add(nights, 0, 22);
  EXPECT_TRUE(trend().stops.empty()) << "two nights may be an accident";
  add(nights, 22, 23);
  DeviceTrend found = trend();
  ASSERT_EQ(found.stops.size(), 1u);
  EXPECT_EQ(found.stops[0].case_name, examples::case_name(0));
  EXPECT_EQ(found.stops[0].last, 19u);
  EXPECT_FALSE(found.stops[0].since_then.has_value());
  EXPECT_TRUE(found.stops[0].is_new);
  {
    store::Store store = store::Store::create(file);
    const std::int64_t process = examples::begin_night(store, nights, 23);
    const record::Case info = store::examples::gemm_case("naive", 64);
    store::add(store, process, info,
               store::examples::failed(info, record::Outcome::crashed, "gone"));
  }
  found = trend();
  ASSERT_EQ(found.stops.size(), 1u);
  EXPECT_EQ(found.stops[0].since_then, record::Outcome::crashed);
  EXPECT_FALSE(found.stops[0].is_new);
  EXPECT_EQ(found.nights.left_out.at(record::Outcome::crashed), 1);
}

}  // namespace trend_test
}  // namespace ridgeline::analysis
