#include "harness/analysis/standing.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "harness/analysis/nights_example.hpp"
#include "harness/base/day.hpp"
#include "harness/base/error.hpp"

namespace ridgeline::analysis {
namespace {

using record::Told;
using record::ToldState;

/// A results file that grows night by night, and a job that tells of it.
class Standings : public testing::Test {
 protected:
  void add(const examples::Nights& nights, int begin, int end) {
    store::Store store = store::Store::create(file);
    examples::add_nights(store, nights, begin, end);
  }
  DeviceTrend look(const std::string& now, const std::string& until = {}) const {
    SeriesChoice choice;
    choice.until = until;
    auto devices =
        nightly_series(folder.path(), choice, [](const Error& why) { FAIL() << why.what(); });
    EXPECT_EQ(devices.size(), 1u);
    const Remembered before = remembered(store::Store::open(file), devices.at(0), "", until);
    DeviceTrend trend = trend_of(std::move(devices.at(0)), {});
    stand(trend, before, {}, now);
    return trend;
  }
  void remember(DeviceTrend& trend, const std::string& now) const {
    const store::Retold changes = retold(trend, now);
    store::tell(store::Store::create(file),
                {trend.nights.key, trend.nights.profile, "", trend.nights.nights.back().date, now},
                changes);
  }
  /// What a nightly job does; whether it fails.
  bool tell(const std::string& now) const {
    DeviceTrend trend = look(now);
    remember(trend, now);
    return any_fails(trend);
  }
  static bool any_fails(const DeviceTrend& trend) {
    const auto any = [](const auto& all) {
      return std::ranges::any_of(all, [](const auto& one) { return fails(one); });
    };
    return any(trend.changes) || any(trend.fleet) || any(trend.drifts) || any(trend.stops);
  }
  std::vector<Told> told() const { return store::told(store::Store::open(file)); }

  store::TemporaryFolder folder;
  std::filesystem::path file = folder / "synthetic-gpu.sqlite";
};

/// When the job of a night starts.
std::string after(int night) { return examples::day(night) + "T03:00:00Z"; }

examples::Nights step(int at, double log_step, int back = 10'000) {
  examples::Nights nights;
  nights.level = [=](int of, int night) {
    return of == 1 && night >= at && night < back ? log_step : 0.0;
  };
  return nights;
}

TEST_F(Standings, AJobFailsOnceForEachChange) {
  const examples::Nights nights = step(80, .06);
  add(nights, 0, 80);
  int failed = 0;
  for (int night = 80; night < 100; ++night) {
    add(nights, night, night + 1);
    failed += tell(after(night)) ? 1 : 0;
  }
  EXPECT_EQ(failed, 1);
  ASSERT_EQ(told().size(), 1u);
  EXPECT_TRUE(told()[0].failed);
  EXPECT_EQ(told()[0].case_name, examples::case_name(1));
}

TEST_F(Standings, AJobThatStartsAgainForItsNightFailsAgain) {
  add(step(80, .06), 0, 82);
  EXPECT_TRUE(tell(after(81)));
  EXPECT_TRUE(tell(examples::day(81) + "T09:00:00Z"));
  EXPECT_EQ(told().size(), 1u);
  EXPECT_FALSE(tell(after(82))) << "a machine that died does not keep failing";
  EXPECT_FALSE(tell(after(90)));
}

TEST_F(Standings, AJobThatMissedNightsTellsWhatTheyBrought) {
  const examples::Nights nights = step(80, .06);
  add(nights, 0, 80);
  EXPECT_FALSE(tell(after(79)));
  add(nights, 80, 95);
  EXPECT_TRUE(tell(after(94))) << "it was found days ago, and nobody was told";
}

TEST_F(Standings, TheFirstNightOfAJobTellsNothingOld) {
  add(step(60, .06), 0, 95);
  EXPECT_FALSE(tell(after(94)));
  ASSERT_EQ(told().size(), 1u);
  EXPECT_EQ(told()[0].told_night, "");
  EXPECT_FALSE(tell(after(94)));
}

TEST_F(Standings, WhatIsAcknowledgedIsQuietOnTheSameNight) {
  add(step(80, .06), 0, 82);
  EXPECT_TRUE(tell(after(81)));
  Told row = told().at(0);
  row.state = ToldState::acknowledged;
  row.state_at = after(81);
  row.why = "known";
  store::say(store::Store::create(file), std::vector{row});
  const DeviceTrend trend = look(after(81));
  EXPECT_FALSE(any_fails(trend));
  EXPECT_FALSE(trend.changes.at(0).is_new);
  EXPECT_TRUE(trend.changes.at(0).standing.is(ToldState::acknowledged));
}

TEST_F(Standings, AnUndoneStepIsToldAsUndone) {
  const examples::Nights nights = step(80, .06, 95);
  add(nights, 0, 82);
  EXPECT_TRUE(tell(after(81)));
  for (int night = 82; night < 110; ++night) {
    add(nights, night, night + 1);
    EXPECT_FALSE(tell(after(night))) << night;
  }
  const DeviceTrend trend = look(after(109));
  ASSERT_EQ(trend.changes.size(), 2u);
  EXPECT_EQ(trend.changes[0].standing.undone, trend.changes[1].raised);
  EXPECT_FALSE(trend.changes[1].standing.undone);
  EXPECT_EQ(trend.changes[0].standing.told->state, ToldState::resolved);
  EXPECT_EQ(trend.changes[0].standing.told->why, "undone on " + examples::day(96));
}

TEST_F(Standings, AStepThatWasUndoneBeforeItWasToldFailsNoNight) {
  add({}, 0, 70);
  EXPECT_FALSE(tell(after(69)));
  add(step(80, .06, 95), 70, 110);
  EXPECT_FALSE(tell(after(109)));
}

TEST_F(Standings, WhatIsToldOfADayIsAsItWasThen) {
  const examples::Nights nights = step(80, .06);
  add(nights, 0, 82);
  const DeviceTrend then = look(after(81), examples::day(81));
  EXPECT_TRUE(tell(after(81)));
  add(nights, 82, 100);
  const DeviceTrend later = look(after(81), examples::day(81));
  EXPECT_EQ(later.nights.nights.size(), then.nights.nights.size());
  ASSERT_EQ(later.changes.size(), then.changes.size());
  EXPECT_EQ(later.changes[0].raised, then.changes[0].raised);
  EXPECT_TRUE(fails(later.changes[0])) << "it was new on that night";
  const DeviceTrend before = look(after(80), examples::day(80));
  EXPECT_FALSE(any_fails(before));
  for (const TrendChange& change : before.changes) EXPECT_FALSE(change.standing.told);
}

TEST_F(Standings, ACaseThatStoppedIsToldOnceAndResolvedWhenItIsMeasuredAgain) {
  examples::Nights nights;
  nights.level = [](int of, int night) -> std::optional<double> {
    if (of == 0 && night >= 20 && night < 30) return {};
    return 0.0;
  };
  add(nights, 0, 20);
  int failed = 0;
  for (int night = 20; night < 30; ++night) {
    add(nights, night, night + 1);
    failed += tell(after(night)) ? 1 : 0;
  }
  EXPECT_EQ(failed, 1);
  add(nights, 30, 31);
  DeviceTrend back = look(after(30));
  ASSERT_EQ(back.gone.size(), 1u);
  remember(back, after(30));
  EXPECT_EQ(told().at(0).state, ToldState::resolved);
  EXPECT_EQ(told().at(0).why, "measured again");
  EXPECT_TRUE(look(after(30)).gone.empty());
}

TEST_F(Standings, ADriftThatIsOverStaysToldWhenOneTheOtherWayFollows) {
  examples::Nights nights;
  nights.level = [](int of, int night) {
    return of == 1 ? .004 * (std::clamp(night - 80, 0, 30) - std::clamp(night - 150, 0, 30)) : 0.0;
  };
  add(nights, 0, 80);
  std::set<std::string> failing;
  for (int night = 80; night < 190; night += 4) {  // a job of every fourth night
    add(nights, night, night + 4);
    if (tell(after(night + 3))) failing.insert(examples::day(night + 3));
  }
  std::set<std::string> told_on;
  std::size_t up = 0, down = 0;
  for (const Told& one : told()) {
    if (one.failed) {
      EXPECT_TRUE(told_on.insert(one.told_night).second) << "one at a time";
    }
    if (one.what != record::ToldWhat::drift) continue;
    EXPECT_EQ(one.state, ToldState::told) << one.why;
    EXPECT_EQ(one.failed, *one.ratio > 1);
    ++(*one.ratio > 1 ? up : down);
  }
  EXPECT_EQ(failing, told_on);
  EXPECT_GE(up, 1u);
  EXPECT_GE(down, 1u);
}

TEST_F(Standings, NightsThatWereCutShortStopNothing) {
  add({}, 0, 20);
  for (int night = 20; night < 26; ++night) {
    store::Store store = store::Store::create(file);
    record::Run run =
        store::examples::run(fmt::format("cut{}", night), examples::day(night) + "T02:00:00Z");
    run.profile = "nightly";
    store::begin(store, run, store::examples::device(), store::examples::environment());
    const record::Case info = store::examples::gemm_case("naive", 64);
    store::add(store, store::add(store, store::examples::process(0, run.id)), info,
               store::examples::measurement(info, {1000}));
    store::finish(store, run.id,
                  night % 2 ? record::RunStatus::interrupted : record::RunStatus::failed,
                  run.started);
  }
  const DeviceTrend trend = look(after(25));
  EXPECT_TRUE(trend.stops.empty());
  ASSERT_EQ(trend.nights.oddities.size(), 1u);
  EXPECT_EQ(trend.nights.oddities[0],
            "6 runs did not finish (3 failed, 3 interrupted): what they lack has not stopped");
}

TEST_F(Standings, ARunOfTheFutureChangesNothing) {
  const examples::Nights nights = step(80, .06);
  add(nights, 0, 80);
  EXPECT_FALSE(tell(after(79)));
  {
    store::Store store = store::Store::create(file);
    record::Run run = store::examples::run("future", "2099-01-01T02:00:00Z");
    run.profile = "nightly";
    store::begin(store, run, store::examples::device(), store::examples::environment());
    const record::Case info = store::examples::gemm_case("naive", 64);
    store::add(store, store::add(store, store::examples::process(0, run.id)), info,
               store::examples::measurement(info, {1000}));
  }
  int failed = 0;
  for (int night = 80; night < 100; ++night) {
    add(nights, night, night + 1);
    failed += tell(after(night)) ? 1 : 0;
  }
  EXPECT_EQ(failed, 1);
  const DeviceTrend trend = look(after(99));
  EXPECT_EQ(trend.nights.other_runs.at("of the future (a clock was wrong)"), 1);
  EXPECT_EQ(trend.nights.nights.back().date, examples::day(99));
  EXPECT_TRUE(trend.nights.oddities.empty()) << "what it was later than is in order";
}

/// What stands of one change where something was told of its case, without the analysis.
class Recognised : public testing::Test {
 protected:
  Recognised() {
    trend.nights.key = "GPU-0000";
    trend.nights.profile = "nightly";
    trend.least_step = .01;
    NightlyTimes times{"e1", {}, {}};
    for (int night = 0; night < 40; ++night) {
      trend.nights.nights.push_back({examples::day(night), day(night), {}});
      times.nights.push_back(static_cast<std::uint32_t>(night));
      times.median_ns.push_back(1000);
    }
    trend.nights.cases = {{"x/y/f32/n=1", {times}, {}, {}, 0}};
    trend.changes = {change(20, 1.06)};
    row.label = "a0b1c2d3";
    row.device = trend.nights.key;
    row.profile = trend.nights.profile;
    row.case_name = "x/y/f32/n=1";
    row.kind = "regression";
    row.earliest = row.night = row.latest = examples::day(20);
    row.ratio = 1.06;
    row.failed = true;
    row.told_night = examples::day(25);
    row.told_at = row.state_at = after(25);
  }
  static std::int64_t day(int night) {
    return parse_day(examples::day(night))->time_since_epoch().count();
  }
  static TrendChange change(std::size_t night, double ratio) {
    TrendChange change;
    change.case_name = "x/y/f32/n=1";
    change.night = change.earliest = change.latest = night;
    change.before = 1000;
    change.after = 1000 * ratio;
    change.kind = ratio > 1 ? TrendKind::regression : TrendKind::improvement;
    change.environment = "e1";
    change.raised = night + 1;
    return change;
  }
  void see() { stand(trend, {{row}, true}, {}, after(39)); }
  const Standing& standing() const { return trend.changes.at(0).standing; }

  DeviceTrend trend;
  Told row;
};

TEST_F(Recognised, WhereItMovedALittle) {
  for (const std::size_t night : {17u, 20u, 23u}) {
    trend.changes = {change(night, 1.06)};
    see();
    EXPECT_TRUE(standing().told) << night;
    EXPECT_FALSE(trend.changes[0].is_new);
    EXPECT_EQ(standing().label, "a0b1c2d3");
  }
  for (const std::size_t night : {16u, 24u}) {
    trend.changes = {change(night, 1.06)};
    see();
    EXPECT_FALSE(standing().told) << night;
    EXPECT_TRUE(fails(trend.changes[0]));
  }
}

TEST_F(Recognised, WhenItGrewALittle) {
  for (const double ratio : {1.02, 1.06, 1.09}) {
    trend.changes = {change(20, ratio)};
    see();
    EXPECT_TRUE(standing().told) << ratio;
  }
  for (const double ratio : {0.94, 1.12, 2.0}) {
    trend.changes = {change(20, ratio)};
    see();
    EXPECT_FALSE(standing().told) << ratio;
  }
}

TEST_F(Recognised, AsOneChangeOfTwo) {
  trend.changes = {change(20, 1.06), change(22, 1.07)};
  see();
  EXPECT_TRUE(trend.changes[0].standing.told);
  EXPECT_FALSE(trend.changes[1].standing.told);
  EXPECT_TRUE(fails(trend.changes[1])) << "a second step right behind the first";
}

TEST_F(Recognised, OfTheSameCaseDeviceAndKindOfFinding) {
  row.case_name = "x/y/f32/n=2";
  see();
  EXPECT_FALSE(standing().told);
  row.case_name = "x/y/f32/n=1";
  row.what = record::ToldWhat::drift;
  see();
  EXPECT_FALSE(standing().told);
}

TEST_F(Recognised, WhatBecomesARegressionFailsOnce) {
  row.kind = "environment";
  row.failed = false;
  see();
  EXPECT_TRUE(fails(trend.changes[0]));
  const store::Retold changes = retold(trend, after(39));
  ASSERT_EQ(changes.changed.size(), 1u);
  row = changes.changed[0].first;
  EXPECT_TRUE(row.failed);
  EXPECT_EQ(row.told_night, examples::day(39));
  trend.changes = {change(20, 1.06)};
  stand(trend, {{row}, true}, {}, "2026-03-01T00:00:00Z");
  EXPECT_FALSE(fails(trend.changes[0]));
}

TEST_F(Recognised, WhatNobodyFoundAnyMoreIsSaidOnce) {
  trend.changes.clear();
  see();
  ASSERT_EQ(trend.gone.size(), 1u);
  const store::Retold changes = retold(trend, after(39));
  ASSERT_EQ(changes.changed.size(), 1u);
  row = changes.changed[0].first;
  EXPECT_EQ(row.state, ToldState::resolved);
  trend.gone.clear();
  see();
  EXPECT_TRUE(trend.gone.empty());
  trend.changes = {change(20, 1.06)};
  see();
  EXPECT_TRUE(standing().found_again);
  EXPECT_FALSE(fails(trend.changes[0])) << "found, lost and found again is not new";
  EXPECT_EQ(retold(trend, after(39)).changed.at(0).first.state, ToldState::told);
}

TEST_F(Recognised, WhatGrewOrIsShownNoMoreHasNotGone) {
  trend.changes = {change(20, 1.12)};
  see();
  EXPECT_TRUE(fails(trend.changes[0])) << "twice as large";
  EXPECT_TRUE(trend.gone.empty());
  trend.changes.clear();
  stand(trend, {{row}, true}, {.least_step = {}, .new_nights = 1, .shown_nights = 20}, after(39));
  EXPECT_TRUE(trend.gone.empty()) << "its place may have moved by a night, out of the last 20";
}

TEST_F(Recognised, OldOnesThatNobodyToldAreNotNew) {
  for (int night = 40; night < 90; ++night)
    trend.nights.nights.push_back({examples::day(night), day(night), {}});
  row.case_name = "another";
  see();
  EXPECT_FALSE(trend.changes[0].is_new);
}

TEST_F(Recognised, AMemberThatJoinsAToldEventIsQuietUnlessItIsMuchWorse) {
  const auto event = [&](double joins) {
    trend.changes.clear();
    FleetEvent made;
    made.members = {change(20, 1.06), change(20, joins)};
    made.members[1].case_name = "x/z/f32/n=1";
    made.kind = TrendKind::regression;
    trend.fleet = {made};
    see();
    return fails(trend.fleet[0]);
  };
  EXPECT_FALSE(event(1.05));
  EXPECT_EQ(trend.fleet[0].standing.label, row.label);
  EXPECT_FALSE(event(.95));
  EXPECT_TRUE(event(2));
  row.kind = "improvement";
  row.failed = false;
  row.ratio = 1.06;
  trend.fleet[0].members[0].kind = TrendKind::improvement;
  EXPECT_TRUE(event(1.05)) << "nothing for the worse was told";
}

TEST_F(Recognised, ADayThatIsNoneIsRefused) {
  row.night = row.earliest = row.latest = "2026-99-99";
  EXPECT_THROW(see(), Error);
}

TEST(Silence, IsLongForTheDevice) {
  NightlyDevice device;
  const auto add = [&](int night) {
    device.nights.push_back(
        {examples::day(night), parse_day(examples::day(night))->time_since_epoch().count(), {}});
  };
  const auto silent = [&](int today) {
    return silence_of(device, *parse_point_in_time(examples::day(today) + "T12:00:00Z"));
  };
  add(0);
  EXPECT_FALSE(silent(3));
  EXPECT_EQ(silent(4), 4);
  for (int night = 1; night < 20; ++night) add(night);
  EXPECT_FALSE(silent(22));
  EXPECT_EQ(silent(30), 11);
  device.nights.clear();
  for (int week = 0; week < 20; ++week) add(7 * week);
  EXPECT_FALSE(silent(19 * 7 + 21));
  EXPECT_EQ(silent(19 * 7 + 22), 22);
}

}  // namespace
}  // namespace ridgeline::analysis
