#include <cmath>

#include <gtest/gtest.h>

#include "harness/analysis/nights_example.hpp"
#include "harness/analysis/trend.hpp"
#include "harness/base/error.hpp"

namespace ridgeline::analysis {
namespace trend_causes_test {

using examples::Nights;

class TrendCauses : public testing::Test {
 protected:
  void add(const Nights& nights, int begin, int end) {
    store::Store store = store::Store::create(file);
    examples::add_nights(store, nights, begin, end);
  }
  DeviceTrend trend(std::size_t shown = 90) const {
    TrendRules rules;
    rules.new_nights = rules.shown_nights = shown;
    auto devices =
        nightly_series(folder.path(), {}, [](const Error& why) { FAIL() << why.what(); });
    EXPECT_EQ(devices.size(), 1u);
    return trend_of(std::move(devices.at(0)), rules);
  }
  /// The only change of nights with one of them.
  TrendChange planted(const Nights& nights) {
    add(nights, 0, 90);
    DeviceTrend found = trend();
    EXPECT_EQ(found.changes.size(), 1u);
    return found.changes.empty() ? TrendChange() : found.changes.front();
  }

  store::TemporaryFolder folder;
  std::filesystem::path file = folder / "synthetic-gpu.sqlite";
};

constexpr int planted_night = 80;

/// "old" until the night of the change, "new" from then on.
auto switched(const std::string& before, const std::string& after) {
  return [=](int night) { return night < planted_night ? before : after; };
}

/// One case of three gets 8% slower on that night, and the commit never changes.
Nights quiet() {
  Nights nights;
  nights.level = [](int of, int night) { return of == 1 && night >= planted_night ? .08 : 0.0; };
  nights.commit = [](int) { return "aaaaaaaa"; };
  nights.code = [](int) { return "c0dec0de"; };
  return nights;
}

TEST_F(TrendCauses, TheCodeIsToBlameWhenItAloneChanged) {
  Nights nights = quiet();
  nights.commit = switched("aaaaaaaa", "bbbbbbbb");
  nights.code = switched("c0dec0de", "ab1eab1e");
  const TrendChange found = planted(nights);
  EXPECT_EQ(found.why->cause, TrendCause::code);
  EXPECT_EQ(found.kind, TrendKind::regression);
  EXPECT_TRUE(fails(found));
  EXPECT_EQ(found.why->evidence,
            (std::vector<std::string>{
                "the commit changed, and the workers' code is another (ridgeline-suites c0dec0de "
                "-> ridgeline-suites ab1eab1e)",
                "nothing else that is recorded changed"}));
}

TEST_F(TrendCauses, TheCodeIsNotToBlameWhenItIsTheSame) {
  Nights nights = quiet();
  nights.commit = switched("aaaaaaaa", "bbbbbbbb");
  const TrendChange found = planted(nights);
  EXPECT_EQ(found.why->cause, TrendCause::unexplained);
  EXPECT_EQ(found.why->evidence.front(),
            "the commit changed, and the workers' code is the same byte for byte "
            "(ridgeline-suites c0dec0de)");
  EXPECT_TRUE(fails(found)) << "slower for no known reason is told";
}

TEST_F(TrendCauses, AnotherMethodIsToBlame) {
  Nights nights = quiet();
  nights.commit = switched("aaaaaaaa", "bbbbbbbb");
  nights.code = switched("c0dec0de", "ab1eab1e");
  nights.profile_text = switched("[sampling]\ntarget = 0.01\n", "[sampling]\ntarget = 0.05\n");
  TrendChange found = planted(nights);
  EXPECT_EQ(found.why->cause, TrendCause::method);
  EXPECT_EQ(found.kind, TrendKind::environment);
  EXPECT_EQ(found.why->evidence.front(), "sampling.target of profile nightly 0.01 -> 0.05");
  EXPECT_FALSE(fails(found));
}

TEST_F(TrendCauses, AnotherCacheIsAnotherMethod) {
  Nights nights = quiet();
  nights.cache = switched("cold", "hot");
  const TrendChange found = planted(nights);
  EXPECT_EQ(found.why->cause, TrendCause::method);
  EXPECT_EQ(found.why->evidence.front(), "cache of the case cold -> hot");
}

TEST_F(TrendCauses, ARunOfOtherCasesHidesNoMethod) {
  Nights nights = quiet(), others;
  nights.cache = switched("cold", "hot");
  others.commit = nights.commit;
  others.code = nights.code;
  others.level = [](int of, int) -> std::optional<double> {
    if (of == 0) return 0.0;
    return {};
  };
  {
    store::Store store = store::Store::create(file);
    for (int night = 0; night < 90; ++night) {
      examples::add_times(store, others, night, examples::begin_night(store, others, night, "a"));
      examples::add_times(store, nights, night, examples::begin_night(store, nights, night, "b"));
      examples::add_times(store, others, night, examples::begin_night(store, others, night, "c"));
    }
  }
  const DeviceTrend found = trend();
  ASSERT_EQ(found.changes.size(), 1u);
  EXPECT_EQ(found.changes[0].why->cause, TrendCause::method);
}

TEST_F(TrendCauses, TheMachineIsToBlame) {
  Nights nights = quiet();
  nights.commit = switched("aaaaaaaa", "bbbbbbbb");
  nights.code = switched("c0dec0de", "ab1eab1e");
  nights.driver = switched("580.1", "580.2");
  const TrendChange found = planted(nights);
  EXPECT_EQ(found.why->cause, TrendCause::machine);
  EXPECT_EQ(found.kind, TrendKind::environment);
  EXPECT_EQ(found.why->evidence.front(), "driver 580.1 -> 580.2");
}

TEST_F(TrendCauses, OneCaseOfManyIsSlowerByTheCodeAndNotByTheDriver) {
  Nights nights = quiet();
  nights.cases = 60;
  nights.commit = switched("aaaaaaaa", "bbbbbbbb");
  nights.code = switched("c0dec0de", "ab1eab1e");
  nights.driver = switched("580.1", "580.2");
  const TrendChange found = planted(nights);
  EXPECT_EQ(found.why->cause, TrendCause::code);
  EXPECT_EQ(found.kind, TrendKind::regression);
  EXPECT_TRUE(fails(found));
  EXPECT_EQ(found.changes.environment, std::vector<std::string>{"driver 580.1 -> 580.2"});
  EXPECT_TRUE(found.why->evidence.back().starts_with("of 60 cases, "))
      << found.why->evidence.back();
}

TEST_F(TrendCauses, WhatTheDriverMakesSlowerIsItsOwnHoweverFewAreToldSo) {
  NightChanges changes;
  changes.add(Area::machine, "driver 580.1 -> 580.2");
  changes.before_commit = "aaaa";
  changes.after_commit = "bbbb";
  EXPECT_EQ(why_of(changes, {}, {25, 250}).cause, TrendCause::machine);
  EXPECT_EQ(why_of(changes, {}, {24, 250}).cause, TrendCause::code);
  EXPECT_EQ(why_of(changes, {}).cause, TrendCause::machine) << "nobody counted";
  changes.after_commit = "aaaa";
  EXPECT_EQ(why_of(changes, {}, {1, 250}).cause, TrendCause::machine) << "the code is the same";
}

TEST_F(TrendCauses, TheToolkitIsToBlame) {
  Nights nights = quiet();
  nights.code = switched("c0dec0de", "ab1eab1e");
  nights.compiler = switched("g++ 12.2", "g++ 13.1");
  const TrendChange found = planted(nights);
  EXPECT_EQ(found.why->cause, TrendCause::toolkit);
  EXPECT_EQ(found.kind, TrendKind::environment);
  EXPECT_EQ(found.why->evidence.front(), "compiler of ridgeline-suites g++ 12.2 -> g++ 13.1");
}

TEST_F(TrendCauses, ALibraryIsOfTheToolkit) {
  Nights nights = quiet();
  nights.facts = [](int night) {
    return record::Facts{{"cudnn", night < planted_night ? "9.1" : "9.2"}};
  };
  EXPECT_EQ(planted(nights).why->cause, TrendCause::toolkit);
}

TEST_F(TrendCauses, NoiseIsToBlameWhenTheCaseMovesAsFarByItself) {
  std::vector<double> two_levels;
  for (int i = 0; i < 120; ++i) two_levels.push_back(i / 12 % 2 == 0 ? 100 : 108);
  const Habit habit = habit_before(two_levels, 108, {0, 100, 108});
  EXPECT_EQ(habit.moves, 8u);
  EXPECT_EQ(habit.nights, 108u);
  EXPECT_NEAR(habit.usual, std::log(1.08), 1e-9);
  EXPECT_TRUE(habit.had_level);
  NightChanges changes;
  changes.before_commit = "aaaa";
  changes.after_commit = "bbbb";
  EXPECT_EQ(why_of(changes, habit).cause, TrendCause::noise);
  EXPECT_EQ(why_of(changes, habit).evidence,
            (std::vector<std::string>{
                "it moved by itself 8 times in the 108 nights before, usually by 8.0%",
                "it has been at this level before", "the commit changed",
                "nothing else that is recorded changed"}));
  EXPECT_EQ(why_of(changes, habit_before(two_levels, 108, {0, 100, 120})).cause, TrendCause::code)
      << "it never moved so far";
  TrendChange noise;
  noise.is_new = true;
  EXPECT_TRUE(fails(noise));
  noise.why = why_of(changes, habit);
  EXPECT_FALSE(fails(noise));
  noise.why = why_of(changes, habit_before(two_levels, 108, {0, 100, 115}));
  EXPECT_EQ(noise.why->cause, TrendCause::noise);
  EXPECT_TRUE(fails(noise)) << "it was never so slow";
  Habit mode;
  mode.mode = true;
  EXPECT_EQ(why_of(changes, mode).cause, TrendCause::noise);
}

TEST_F(TrendCauses, NoHabitExcusesADoubling) {
  for (const double high : {120.0, 200.0}) {
    std::vector<double> values;
    for (int i = 0; i < 120; ++i) values.push_back(i / 12 % 2 == 0 ? 100 : high);
    const Why why = why_of({}, habit_before(values, 108, {0, 100, high}));
    EXPECT_EQ(why.cause, TrendCause::noise);
    EXPECT_EQ(why.excused, high == 120);
  }
}

TEST_F(TrendCauses, TwoNightsNowAndThenExcuseNoLevelThatStays) {
  std::vector<double> values;  // a neighbour comes for two nights of thirty
  for (int i = 0; i < 120; ++i) values.push_back(i % 30 < 2 && i > 0 ? 115 : 100);
  for (const std::size_t nights : {2, 3, 5, 7, 14}) {
    const Habit habit = habit_before(values, 120, {120, 100, 108, nights});
    EXPECT_TRUE(habit.is_noise());
    EXPECT_EQ(habit.had_level, nights < 5) << nights;
  }
}

TEST_F(TrendCauses, ARegressionThatWasMendedIsNoHabit) {
  std::vector<double> values;
  for (int i = 0; i < 100; ++i) values.push_back(i >= 40 && i < 60 ? 108 : 100);
  const Habit habit = habit_before(values, 100, {0, 100, 108});
  EXPECT_EQ(habit.moves, 2u);
  EXPECT_TRUE(habit.had_level);
  EXPECT_FALSE(habit.is_noise());
  EXPECT_EQ(habit_before({}, 0, {0, 1, 2}).moves, 0u);
}

TEST_F(TrendCauses, LoudNoiseIsNoHabit) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  for (const double step : {.02, .03, .06}) {
    std::size_t habits = 0;
    for (int series = 0; series < 200; ++series) {
      std::vector<double> values;
      for (int i = 0; i < 120; ++i) values.push_back(100 * std::exp(.01 * normal(random)));
      habits += habit_before(values, 120, {0, 100, 100 * std::exp(step)}).is_noise() ? 1 : 0;
    }
    EXPECT_LE(habits, 2u) << step;
  }
}

TEST_F(TrendCauses, WhatIsNotKnownIsNotBlamed) {
  EXPECT_EQ(why_of({}, {}).cause, TrendCause::unexplained);
  NightChanges changes;
  changes.before_commit = changes.after_commit = "aaaa";
  EXPECT_EQ(why_of(changes, {}).cause, TrendCause::unexplained);
  changes.after_dirty = true;
  EXPECT_EQ(why_of(changes, {}).cause, TrendCause::code) << "local changes";
}

TEST_F(TrendCauses, TwoEnvironmentsANightHideNoRegression) {
  Nights here = quiet(), there = quiet();
  here.commit = switched("aaaaaaaa", "bbbbbbbb");
  here.code = switched("c0dec0de", "ab1eab1e");
  there.commit = here.commit;
  there.code = here.code;
  there.power_limit = [](int) { return "250"; };
  there.facts = [](int) { return record::Facts{{"host", "elsewhere"}}; };
  {
    store::Store store = store::Store::create(file);
    for (int night = 0; night < 90; ++night) {
      examples::add_times(store, here, night, examples::begin_night(store, here, night, "a"));
      examples::add_times(store, there, night, examples::begin_night(store, there, night, "b"));
    }
  }
  const DeviceTrend found = trend();
  ASSERT_EQ(found.changes.size(), 2u) << "one in each environment";
  for (const TrendChange& change : found.changes) {
    EXPECT_EQ(change.kind, TrendKind::regression);
    EXPECT_EQ(change.changes.before_commit, "aaaaaaaa");
    EXPECT_TRUE(fails(change));
  }
}

TEST_F(TrendCauses, TheSameEventIsToldTheSameWayTwoYearsLater) {
  Nights nights = quiet();
  nights.level = [](int, int night) { return night >= planted_night ? -.5 : 0.0; };
  nights.commit = switched("aaaaaaaa", "bbbbbbbb");
  nights.code = switched("c0dec0de", "ab1eab1e");
  nights.facts = [](int night) {
    if (night < planted_night) return record::Facts{{"cpus", "2"}};
    return record::Facts{{"cpus", night < 100 || night % 2 == 0 ? "4" : "8"}};
  };
  constexpr int soon = planted_night + 14, later = 730;
  add(nights, 0, soon);
  for (const int end : {soon, later}) {
    if (end > soon) add(nights, soon, end);
    const DeviceTrend found = trend(later);
    ASSERT_EQ(found.changes.size(), 3u);
    for (const TrendChange& change : found.changes) {
      EXPECT_EQ(change.kind, TrendKind::environment) << end;
      EXPECT_EQ(change.why->cause, TrendCause::machine);
      EXPECT_EQ(change.changes.environment, std::vector<std::string>{"cpus 2 -> 4"});
    }
  }
}

}  // namespace trend_causes_test
}  // namespace ridgeline::analysis
