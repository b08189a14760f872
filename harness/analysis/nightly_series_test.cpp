#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/analysis/trend_fixture.hpp"
#include "harness/base/error.hpp"

namespace ridgeline::analysis {
namespace nightly_series_test {

using examples::Nights;

TEST_F(Trend, ANightIsTheMedianOfTheProcessesThatCount) {
  const record::Case info = store::examples::gemm_case();
  {
    store::Store store = store::Store::create(file);
    const std::int64_t morning = examples::begin_night(store, {}, 0, "a"),
                       evening = examples::begin_night(store, {}, 0, "b");
    store::add(store, morning, info, store::examples::measurement(info, {100}));
    record::Measurement longer = store::examples::measurement(info, {300});
    longer.executions_per_sample = 50;
    store::add(store, evening, info, longer);
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
  EXPECT_EQ(devices[0].cases[0].times[0].executions, (std::vector<std::int64_t>{20, 20}))
      << "the fewest of a night";
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

TEST_F(Trend, NightsWithoutAFinishedRunAreCut) {
  using record::RunStatus;
  const std::vector<std::optional<RunStatus>> ends{RunStatus::finished, RunStatus::interrupted,
                                                   RunStatus::failed, std::nullopt};
  for (int night = 0; night < 4; ++night) {
    store::Store store = store::Store::create(file);
    record::Run run =
        store::examples::run(fmt::format("night{}", night), examples::day(night) + "T02:00:00Z");
    run.profile = "nightly";
    store::begin(store, run, store::examples::device(), store::examples::environment());
    const record::Case info = store::examples::gemm_case();
    store::add(store, store::add(store, store::examples::process(0, run.id)), info,
               store::examples::measurement(info, {100}));
    if (ends[static_cast<std::size_t>(night)])
      store::finish(store, run.id, *ends[static_cast<std::size_t>(night)], run.started);
  }
  std::vector<bool> cut;
  const auto devices = nightly_series(folder.path(), {}, [](const Error&) {});
  for (const Night& night : devices.at(0).nights) cut.push_back(night.cut);
  EXPECT_EQ(cut, (std::vector<bool>{false, true, true, true})) << "the last was killed";
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
  SeriesChoice choice;
  choice.device = "GPU-4";  // which measured one night
  const auto meant = nightly_series(folder.path(), choice, [](const Error&) {});
  ASSERT_EQ(meant.size(), 1u);
  EXPECT_EQ(meant[0].pool, "pool:ci");
  EXPECT_EQ(meant[0].nights.size(), 3u) << "who means one of a pool means the pool";
  choice.device = "GPU-6";
  EXPECT_EQ(nightly_series(folder.path(), choice, [](const Error&) {}).at(0).nights.size(), 1u);
}

TEST_F(Trend, TheUsualProfileIsOneThatRanLately) {
  const auto usual = [&] {
    return nightly_series(folder.path(), {}, [](const Error&) {}).at(0).profile;
  };
  Nights quick, nightly, full;
  quick.profile = "quick";
  quick.cases = nightly.cases = full.cases = 1;
  full.profile = "full";
  add(quick, 0, 50);
  add(nightly, 50, 75);
  EXPECT_EQ(usual(), "quick") << "which ran 25 nights ago";
  add(nightly, 75, 81);
  EXPECT_EQ(usual(), "nightly") << "the other has 50 nights, and none of the last 30 days";
  add(full, 81, 82);
  EXPECT_EQ(usual(), "nightly") << "one night makes no habit";
  SeriesChoice choice;
  choice.until = examples::day(60);
  EXPECT_EQ(nightly_series(folder.path(), choice, [](const Error&) {}).at(0).profile, "quick")
      << "as it was then";
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

}  // namespace nightly_series_test
}  // namespace ridgeline::analysis
