#include "harness/analysis/trend.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "harness/analysis/nights_example.hpp"
#include "harness/base/error.hpp"

namespace ridgeline::analysis {
namespace {

using examples::Nights;

class Trend : public testing::Test {
 protected:
  void add(const Nights& nights, int begin, int end) {
    store::Store store = store::Store::create(file);
    examples::add_nights(store, nights, begin, end);
  }
  /// Of the only device.
  DeviceTrend trend(const TrendRules& rules = {}, const SeriesChoice& choice = {}) const {
    auto devices =
        nightly_series(folder.path(), choice, [](const Error& why) { FAIL() << why.what(); });
    EXPECT_EQ(devices.size(), 1u);
    return trend_of(std::move(devices.at(0)), rules);
  }

  store::TemporaryFolder folder;
  std::filesystem::path file = folder / "synthetic-gpu.sqlite";
};

Nights with_step(int at, double log_step) {
  Nights nights;
  nights.level = [=](int of, int night) { return of == 1 && night >= at ? log_step : 0.0; };
  return nights;
}

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

TEST_F(Trend, AChangeOnTheNightOfANewDriverIsTheEnvironments) {
  Nights nights = with_step(80, .06);
  nights.driver = [](int night) { return night < 80 ? "580.1" : "580.2"; };
  add(nights, 0, 85);
  const DeviceTrend found = trend();
  ASSERT_EQ(found.changes.size(), 1u);
  EXPECT_EQ(found.changes[0].kind, TrendKind::environment);
  EXPECT_EQ(found.changes[0].changes.environment,
            std::vector<std::string>{"driver 580.1 -> 580.2"});
  EXPECT_FALSE(fails(found.changes[0]));
}

TEST_F(Trend, ADriverThatChangedOnAnotherNightExcusesNothing) {
  Nights nights = with_step(80, .06);
  nights.driver = [](int night) { return night < 70 ? "580.1" : "580.2"; };
  add(nights, 0, 82);
  EXPECT_TRUE(fails(trend().changes.at(0)));
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

TEST_F(Trend, ChangesThatManySeriesShareAreOneFleetEvent) {
  Nights nights;
  nights.cases = 14;
  nights.level = [](int of, int night) { return of < 12 && night >= 80 + of % 2 ? .05 : 0.0; };
  add(nights, 0, 88);
  DeviceTrend found = trend({.least_step = {}, .new_nights = 7, .shown_nights = 90});
  EXPECT_TRUE(found.changes.empty());
  ASSERT_EQ(found.fleet.size(), 1u);
  EXPECT_EQ(found.fleet[0].kind, TrendKind::regression);
  EXPECT_EQ(found.fleet[0].slower, 12u);
  EXPECT_EQ(found.fleet[0].faster, 0u);
  EXPECT_NEAR(found.fleet[0].ratio, std::exp(.05), .005);
  EXPECT_TRUE(fails(found.fleet[0]));
}

TEST_F(Trend, ANewDriverDoesNotHideWhatTheNextCommitMakesSlower) {
  Nights nights;
  nights.cases = 36;
  nights.driver = [](int night) { return night < 80 ? "580.1" : "580.2"; };
  nights.level = [](int of, int night) {
    if (of < 30) return night >= 80 ? (of % 2 == 0 ? .05 : -.04) : 0.0;
    return of < 35 && night >= 81 ? std::log(2.0) : 0.0;
  };
  add(nights, 0, 83);
  const DeviceTrend found = trend();
  ASSERT_EQ(found.fleet.size(), 1u);
  EXPECT_EQ(found.fleet[0].kind, TrendKind::environment);
  EXPECT_EQ(found.fleet[0].members.size(), 30u);
  EXPECT_FALSE(fails(found.fleet[0]));
  ASSERT_EQ(found.changes.size(), 5u);
  for (const TrendChange& change : found.changes) EXPECT_TRUE(fails(change)) << change.case_name;
}

TEST_F(Trend, ManyCasesTellWhatNoneTellsAlone) {
  Nights nights;
  nights.cases = 40;
  nights.noise = .02;
  nights.level = [](int of, int night) { return of < 36 && night >= 60 ? .035 : 0.0; };
  add(nights, 0, 60);
  EXPECT_TRUE(trend().fleet.empty());
  int fresh = 0;
  std::size_t alone = 0;
  for (int night = 60; night < 70; ++night) {
    add(nights, night, night + 1);
    const DeviceTrend found = trend();
    alone = found.changes.size();
    for (const FleetEvent& event : found.fleet) fresh += event.is_new ? 1 : 0;
    if (found.fleet.empty()) continue;
    ASSERT_EQ(found.fleet.size(), 1u);
    const FleetEvent& event = found.fleet[0];
    EXPECT_EQ(event.kind, TrendKind::regression);
    EXPECT_GE(event.slower, 20u);
    EXPECT_NEAR(static_cast<double>(event.night), 60, 2);
    EXPECT_NEAR(event.ratio, std::exp(.035), .015);
    EXPECT_EQ(fails(event), event.is_new);
    const auto told_alone = std::ranges::count(event.members, false, &TrendChange::shared);
    EXPECT_LT(told_alone, 10) << "too few for an event by themselves";
  }
  EXPECT_EQ(fresh, 1);
  EXPECT_LE(alone, 1u);
}

TEST_F(Trend, AnotherComparableEnvironmentStartsSeriesAnew) {
  Nights nights;
  nights.power_limit = [](int night) { return night < 70 ? "300" : "250"; };
  nights.level = [](int of, int night) {
    return (night < 70 ? 0.0 : .2) + (of == 0 && night >= 90 ? .06 : 0.0);
  };
  add(nights, 0, 100);
  const DeviceTrend found = trend();
  ASSERT_EQ(found.environments.size(), 1u);
  EXPECT_EQ(found.environments[0].night, 70u);
  EXPECT_EQ(found.environments[0].cases, 3u);
  EXPECT_NEAR(*found.environments[0].ratio, std::exp(.2), .01);
  EXPECT_EQ(found.environments[0].facts, std::vector<std::string>{"power_limit_w 300 -> 250"});
  ASSERT_EQ(found.changes.size(), 1u) << "the step between the environments is none";
  EXPECT_EQ(found.changes[0].night, 90u);
  EXPECT_EQ(found.changes[0].raised, 91u);
}

TEST_F(Trend, ANewEnvironmentKeepsWhatIsKnownOfTheNoise) {
  Nights nights = with_step(75, .06);
  nights.power_limit = [](int night) { return night < 70 ? "300" : "250"; };
  add(nights, 0, 77);
  const DeviceTrend found = trend();
  ASSERT_EQ(found.changes.size(), 1u);
  EXPECT_EQ(found.changes[0].night, 75u);
  EXPECT_TRUE(fails(found.changes[0])) << "seven nights after the setting changed";
}

TEST_F(Trend, TwoEnvironmentsByTurnsAreTwoSeries) {
  Nights nights = with_step(80, .06);
  nights.power_limit = [](int night) { return night % 2 == 0 ? "300" : "250"; };
  nights.level = [of = nights.level](int which, int night) {
    return *of(which, night) + (night % 2 == 0 ? 0 : .2);
  };
  add(nights, 0, 90);
  const DeviceTrend found = trend();
  ASSERT_EQ(found.changes.size(), 2u);
  EXPECT_EQ(found.changes[0].night, 80u);
  EXPECT_EQ(found.changes[1].night, 81u);
}

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

TEST_F(Trend, ANightIsTheMedianOfTheProcessesThatCount) {
  const record::Case info = store::examples::gemm_case();
  {
    store::Store store = store::Store::create(file);
    const std::int64_t morning = examples::begin_night(store, {}, 0, "a"),
                       evening = examples::begin_night(store, {}, 0, "b");
    store::add(store, morning, info, store::examples::measurement(info, {100}));
    store::add(store, evening, info, store::examples::measurement(info, {300}));
    const std::int64_t next = examples::begin_night(store, {}, 1);
    record::Measurement shaky = store::examples::measurement(info, {900});
    shaky.outcome = record::Outcome::unstable;
    shaky.reason = "few samples";
    store::add(store, next, info, shaky);
    const std::int64_t last = examples::begin_night(store, {}, 2);
    record::Measurement throttled = store::examples::measurement(info, {900});
    throttled.outcome = record::Outcome::invalid_environment;
    throttled.reason = "throttled";
    store::add(store, last, info, throttled);
    Nights others;
    others.profile = "quick";
    examples::begin_night(store, others, 3);
  }
  const auto devices = nightly_series(folder.path(), {}, [](const Error&) {});
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_EQ(devices[0].profile, "nightly");
  ASSERT_EQ(devices[0].nights.size(), 3u);
  EXPECT_EQ(devices[0].nights[0].date, "2026-01-01");
  ASSERT_EQ(devices[0].cases.size(), 1u);
  EXPECT_EQ(devices[0].cases[0].times.at(0).median_ns, (std::vector<double>{200, 900}));
  EXPECT_EQ(devices[0].left_out,
            (std::map<record::Outcome, std::int64_t>{{record::Outcome::invalid_environment, 1}}));
  EXPECT_EQ(devices[0].other_runs.at("of profile quick"), 1);
}

TEST_F(Trend, LeavesOutWhatAnUnfitMachineMeasured) {
  const auto add_run = [&](int night, const std::string& label, const std::string& unfit) {
    store::Store store = store::Store::create(file);
    record::Run run = store::examples::run(fmt::format("night{}{}", night, label),
                                           examples::day(night) + "T02:00:00Z");
    run.profile = "nightly";
    run.label = label;
    run.unfit = unfit;
    store::begin(store, run, store::examples::device(), store::examples::environment());
    const record::Case info = store::examples::gemm_case();
    store::add(store, store::add(store, store::examples::process(0, run.id)), info,
               store::examples::measurement(info, {100}));
  };
  const auto series = [&] { return nightly_series(folder.path(), {}, [](const Error&) {}); };
  add_run(0, "nightly", "throttling");
  add_run(1, "", "disk");
  EXPECT_TRUE(series().empty());
  SeriesChoice other;
  other.device = "synthetic";
  EXPECT_TRUE(nightly_series(folder.path(), other, [](const Error&) {}).empty())
      << "meant, though it has no night";
  add_run(2, "unfit", "");  // a label says nothing to a program
  ASSERT_EQ(series().size(), 1u);
  EXPECT_EQ(series()[0].nights.size(), 1u);
  EXPECT_EQ(series()[0].other_runs.at("of an unfit machine"), 2);
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

TEST_F(Trend, OldChangesAreCounted) {
  add(with_step(80, .06), 0, 100);
  const DeviceTrend found = trend({.least_step = {}, .new_nights = 1, .shown_nights = 10});
  EXPECT_TRUE(found.changes.empty());
  EXPECT_EQ(found.older, 1u);
}

TEST_F(Trend, ThePoolOfALabelIsOneDevice) {
  const auto add_run = [&](int night, const std::string& label, const std::string& uuid) {
    store::Store store = store::Store::create(file);
    record::Device device = store::examples::device();
    record::Run run = store::examples::run("night" + uuid, examples::day(night) + "T02:00:00Z");
    device.uuid = run.device_uuid = uuid;
    run.profile = "nightly";
    run.label = label;
    store::begin(store, run, device, store::examples::environment());
    const record::Case info = store::examples::gemm_case();
    store::add(store, store::add(store, store::examples::process(0, run.id)), info,
               store::examples::measurement(info, {100}));
  };
  for (int night = 0; night < 6; ++night)
    add_run(night, night % 2 == 0 ? "pool:ci" : "pool", "GPU-" + std::to_string(night));
  add_run(6, "swimming pool", "GPU-6");
  const auto devices = nightly_series(folder.path(), {}, [](const Error&) {});
  ASSERT_EQ(devices.size(), 3u) << "a new UUID each night is no new device";
  EXPECT_EQ(devices[0].pool, "");
  EXPECT_EQ(devices[1].pool, "pool");
  EXPECT_EQ(devices[2].pool, "pool:ci");
  EXPECT_EQ(devices[2].nights.size(), 3u);
  EXPECT_EQ(devices[2].cases.at(0).times.at(0).nights.size(), 3u);
}

TEST_F(Trend, ChoosesNightsCasesAndDevices) {
  add({}, 0, 10);
  const auto series = [&](const SeriesChoice& choice) {
    return nightly_series(folder.path(), choice, [](const Error&) {});
  };
  SeriesChoice choice;
  choice.since = examples::day(6);
  EXPECT_EQ(series(choice).at(0).nights.size(), 4u);
  EXPECT_EQ(series(choice).at(0).other_runs.at("before 2026-01-07"), 6);
  choice = {};
  choice.patterns = {examples::case_name(1)};
  EXPECT_EQ(series(choice).at(0).cases.size(), 1u);
  for (const char* words : {"fake:0", "synthetic", "GPU-00"}) {
    choice = {};
    choice.device = words;
    EXPECT_EQ(series(choice).size(), 1u) << words;
  }
  {
    store::Store store = store::Store::create(file);
    record::Device another = store::examples::device();
    another.uuid = "GPU-ff";
    record::Run run = store::examples::run("another", examples::day(10) + "T02:00:00Z");
    run.profile = "nightly";
    run.device_uuid = another.uuid;
    store::begin(store, run, another, store::examples::environment());
    const record::Case info = store::examples::gemm_case("naive", 64);
    store::add(store, store::add(store, store::examples::process(0, run.id)), info,
               store::examples::measurement(info, {100}));
  }
  choice = {};
  EXPECT_EQ(series(choice).size(), 2u) << "a series a device";
  choice.by_model = true;
  ASSERT_EQ(series(choice).size(), 1u);
  EXPECT_EQ(series(choice)[0].nights.size(), 11u) << "of both devices";
  const auto refused = [&](const SeriesChoice& wrong) {
    try {
      series(wrong);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      EXPECT_NE(error.advice(), "");
      return true;
    }
    return false;
  };
  EXPECT_TRUE(refused(
      {.patterns = {"gemm/naiv"}, .device = "", .profile = "", .since = "", .by_model = false}));
  EXPECT_TRUE(
      refused({.patterns = {}, .device = "h200", .profile = "", .since = "", .by_model = false}));
  EXPECT_TRUE(
      refused({.patterns = {}, .device = "", .profile = "full", .since = "", .by_model = false}));
  EXPECT_TRUE(refused(
      {.patterns = {}, .device = "", .profile = "", .since = "2027-01-01", .by_model = false}));
}

}  // namespace
}  // namespace ridgeline::analysis
