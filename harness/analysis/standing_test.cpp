#include "harness/analysis/standing.hpp"

#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "harness/analysis/nights_example.hpp"
#include "harness/analysis/told_subject.hpp"
#include "harness/base/day.hpp"
#include "harness/base/error.hpp"

namespace ridgeline::analysis {
namespace standing_test {

using examples::after;
using record::Told;
using record::ToldState;

/// A results file that grows night by night, and a job that tells of it.
class Standings : public testing::Test {
 protected:
  void add(const examples::Nights& nights, int begin, int end) {
    store::Store store = store::Store::create(file);
    examples::add_nights(store, nights, begin, end);
  }
  DeviceTrend look(const std::string& now, const std::string& until = {},
                   const std::string& job = {}) const {
    SeriesChoice choice;
    choice.until = until;
    auto devices =
        nightly_series(folder.path(), choice, [](const Error& why) { FAIL() << why.what(); });
    EXPECT_EQ(devices.size(), 1u);
    const Remembered before = remembered(store::Store::open(file), devices.at(0), job, until);
    DeviceTrend trend = trend_of(std::move(devices.at(0)), {});
    stand(trend, before, {}, now);
    return trend;
  }
  void remember(DeviceTrend& trend, const std::string& now, const std::string& job = {}) const {
    const store::Retold changes = retold(trend, now);
    store::tell(store::Store::create(file),
                {trend.nights.key, trend.nights.profile, job, trend.nights.nights.back().date, now},
                changes);
  }
  /// What a nightly job does; whether it fails.
  bool tell(const std::string& now, const std::string& job = {}) const {
    DeviceTrend trend = look(now, {}, job);
    remember(trend, now, job);
    return any_fails(trend);
  }
  /// Nights [begin, end), each with its job; those on which it fails.
  std::vector<int> failing(const examples::Nights& nights, int begin, int end) {
    std::vector<int> failed;
    for (int night = begin; night < end; ++night) {
      add(nights, night, night + 1);
      if (tell(after(night))) failed.push_back(night);
    }
    return failed;
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

TEST_F(Standings, AnotherJobTakesNoAlarmAwayFromOneThatMissedNights) {
  const examples::Nights nights = step(80, .06);
  add(nights, 0, 80);
  EXPECT_FALSE(tell(after(79)));
  add(nights, 80, 95);
  EXPECT_FALSE(tell(after(94), "--step 3")) << "its first night";
  EXPECT_TRUE(tell(examples::day(94) + "T04:00:00Z"));
  EXPECT_TRUE(tell(examples::day(94) + "T05:00:00Z")) << "it starts again";
  EXPECT_EQ(told().size(), 1u);
  add(nights, 95, 96);
  EXPECT_FALSE(tell(after(95)));
  EXPECT_FALSE(tell(after(95), "--step 3"));
}

TEST_F(Standings, WhatWasAnsweredByMistakeIsToldOnceItIsReopened) {
  const examples::Nights nights = step(80, .06);
  add(nights, 0, 80);
  EXPECT_FALSE(tell(after(79)));
  add(nights, 80, 82);
  DeviceTrend trend = look(after(81));
  const std::vector<Subject> subjects = subjects_of(trend);
  ASSERT_EQ(subjects.size(), 1u);
  Told row = row_of(trend, subjects[0], after(81));
  for (const ToldState state : {ToldState::acknowledged, ToldState::told}) {
    row.state = state;
    row.why = state == ToldState::told ? "" : "a mistake";
    store::say(store::Store::create(file), std::vector{row});
    EXPECT_EQ(any_fails(look(after(81))), state == ToldState::told);
  }
  EXPECT_TRUE(tell(after(81)));
  EXPECT_TRUE(told().at(0).failed);
  EXPECT_FALSE(tell(after(82)));
}

TEST_F(Standings, OneCaseThatWasToldSilencesNoOthers) {
  examples::Nights nights;
  nights.cases = 12;
  nights.level = [](int of, int night) {
    return (of == 0 && night >= 80) || (of > 0 && of < 10 && night >= 82) ? .7 : 0.0;
  };
  add(nights, 0, 80);
  EXPECT_EQ(failing(nights, 80, 90), (std::vector<int>{81, 83}));
}

TEST_F(Standings, ACaseThatRegressesTwoNightsBehindAnEventFails) {
  examples::Nights nights;
  nights.cases = 14;
  nights.level = [](int of, int night) {
    return of >= 2 && night >= (of == 13 ? 82 : 80) ? .05 : 0.0;
  };
  add(nights, 0, 80);
  EXPECT_EQ(failing(nights, 80, 82), std::vector<int>{81});
  std::set<std::string> events;
  for (const Told& one : told()) events.insert(one.event);
  EXPECT_EQ(events.size(), 1u);
  EXPECT_EQ(failing(nights, 82, 88), std::vector<int>{83});
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

/// A level of six nights is in the fortnight before the step that ends it, which is not undone by
/// the level before both.
TEST_F(Standings, WhatEndsALevelOfDaysIsNotUndone) {
  examples::Nights nights;
  nights.level = [](int of, int night) {
    if (night < 80 || of == 0) return 0.0;
    const double spell = of == 1 ? .1 : -.1;  // case 2 goes back by half of it
    return night < 86 ? spell : of == 1 ? 0 : spell / 2;
  };
  add(nights, 0, 80);
  EXPECT_EQ(failing(nights, 80, 120), (std::vector<int>{81, 87}));
  const DeviceTrend trend = look(after(119));
  ASSERT_EQ(trend.changes.size(), 4u);
  for (const TrendChange& change : trend.changes)
    EXPECT_EQ(change.standing.undone.has_value(), change.night == 80 && change.worse)
        << change.case_name << " on night " << change.night;
  for (const Told& one : told())
    EXPECT_EQ(one.state,
              one.night == examples::day(80) && one.failed ? ToldState::resolved : ToldState::told)
        << one.case_name << " " << one.night << " " << one.why;
}

/// Also once it is older than the nights that are shown.
TEST_F(Standings, WhatEndsALevelOfDaysIsNotUndoneLongAgo) {
  examples::Nights nights;
  nights.level = [](int of, int night) {
    return of != 2 || night < 80 ? 0.0 : night < 86 ? -.1 : -.05;
  };
  add(nights, 0, 80);
  EXPECT_EQ(failing(nights, 80, 92), std::vector<int>{87});
  add(nights, 92, 200);
  EXPECT_FALSE(tell(after(199)));
  for (const Told& one : told()) EXPECT_EQ(one.state, ToldState::told) << one.night << one.why;
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
  EXPECT_FALSE(tell(after(99)));
  EXPECT_TRUE(any_fails(look(after(200), examples::day(81)))) << "whenever it is asked";
  EXPECT_FALSE(any_fails(look(after(81), examples::day(82))));
}

TEST_F(Standings, WhatIsToldBehindMidnightIsOfItsNight) {
  add(step(80, .06), 0, 82);
  EXPECT_TRUE(tell(examples::day(82) + "T01:00:00Z"));
  const DeviceTrend then = look(after(90), examples::day(81));
  ASSERT_EQ(then.changes.size(), 1u);
  EXPECT_TRUE(then.changes[0].standing.told);
  EXPECT_TRUE(any_fails(then));
}

TEST_F(Standings, AStepIsUndoneByAModeToo) {
  examples::Nights nights;
  nights.level = [](int of, int night) { return of == 0 && night / 20 % 2 == 1 ? .08 : 0; };
  add(nights, 0, 59);
  failing(nights, 59, 83);
  const std::vector<Told> all = told();
  const auto up = std::ranges::find(all, examples::day(60), &Told::night);
  ASSERT_NE(up, all.end());
  EXPECT_TRUE(up->failed);
  EXPECT_EQ(up->state, ToldState::resolved);
  EXPECT_EQ(up->why, "undone on " + examples::day(81));
}

TEST_F(Standings, WhatIsUndoneMonthsLaterIsResolved) {
  const examples::Nights nights = step(80, .06, 200);
  add(nights, 0, 82);
  EXPECT_TRUE(tell(after(81)));
  add(nights, 82, 190);
  EXPECT_FALSE(tell(after(189)));
  EXPECT_EQ(told().at(0).state, ToldState::told);
  add(nights, 190, 230);
  EXPECT_FALSE(tell(after(229)));
  const std::vector<Told> all = told();
  EXPECT_EQ(all.at(0).night, examples::day(80));
  EXPECT_EQ(all.at(0).state, ToldState::resolved);
  EXPECT_EQ(all.at(0).why, "undone on " + examples::day(207)) << "by the median of a fortnight";
}

TEST_F(Standings, AStopThatIsMeasuredAgainAfterMonthsIsResolved) {
  examples::Nights nights;
  nights.cases = 2;
  nights.level = [](int of, int night) -> std::optional<double> {
    if (of == 0 && night >= 20 && night < 140) return {};
    return 0.0;
  };
  add(nights, 0, 20);
  EXPECT_EQ(failing(nights, 20, 30), std::vector<int>{22});
  add(nights, 30, 135);
  EXPECT_FALSE(tell(after(134)));
  EXPECT_EQ(told().at(0).state, ToldState::told) << "it has not come back";
  add(nights, 135, 141);
  EXPECT_FALSE(tell(after(140)));
  EXPECT_EQ(told().at(0).state, ToldState::resolved);
  EXPECT_EQ(told().at(0).why, "measured again");
}

TEST_F(Standings, OneJobSaysWhatIsOver) {
  const examples::Nights nights = step(80, .06);
  add(nights, 0, 82);
  const auto resolves = [&](const std::string& job) {
    auto devices = nightly_series(folder.path(), {}, [](const Error&) {});
    return remembered(store::Store::open(file), devices.at(0), job).resolves;
  };
  EXPECT_TRUE(resolves("--tick 1000")) << "no other has told";
  tell(after(80), "--tick 1000");
  EXPECT_TRUE(resolves("--tick 1000"));
  EXPECT_FALSE(resolves("gemm/*"));
  tell(after(81));
  EXPECT_TRUE(resolves("")) << "which looks at all, as usual";
  EXPECT_FALSE(resolves("--tick 1000"));
}

TEST_F(Standings, WhatIsBackBehindLuckyNightsFailsNone) {
  examples::Nights nights;
  nights.level = [](int of, int night) {
    return of == 1 && (night == 80 || night == 81) ? -.06 : 0.0;
  };
  add(nights, 0, 80);
  EXPECT_TRUE(failing(nights, 80, 90).empty());
  const std::vector<Told> all = told();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].state, ToldState::resolved) << "the improvement is undone";
  EXPECT_EQ(all[1].kind, "regression");
  EXPECT_EQ(all[1].told_night, examples::day(83)) << "it was new";
  EXPECT_FALSE(all[1].failed);
}

TEST_F(Standings, WhatIsSlowerThanBeforeLuckyNightsFails) {
  examples::Nights nights;
  nights.level = [](int of, int night) {
    if (of != 1 || night < 80) return 0.0;
    return night < 82 ? -.06 : .02;
  };
  add(nights, 0, 80);
  EXPECT_EQ(failing(nights, 80, 92).size(), 1u);
}

TEST_F(Standings, WhatIsWorseAgainAfterDaysOfAnImprovementFails) {
  examples::Nights nights;
  nights.level = [](int of, int night) { return of == 1 && night >= 80 && night < 88 ? -.7 : 0.0; };
  add(nights, 0, 85);
  EXPECT_EQ(failing(nights, 85, 92), std::vector<int>{89}) << "a doubling";
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

TEST_F(Standings, ADriftIsUndoneByOneTheOtherWay) {
  examples::Nights nights;
  nights.level = [](int of, int night) {
    return of == 1 ? .004 * (std::clamp(night - 80, 0, 30) - std::clamp(night - 150, 0, 30)) : 0.0;
  };
  add(nights, 0, 80);
  std::set<std::string> failing;
  for (int night = 80; night < 208; night += 4) {  // a job of every fourth night
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
    EXPECT_EQ(one.state, *one.ratio > 1 ? ToldState::resolved : ToldState::told) << one.night;
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

}  // namespace standing_test
}  // namespace ridgeline::analysis
