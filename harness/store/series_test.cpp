#include "harness/store/series.hpp"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/prune.hpp"
#include "harness/store/read_runs.hpp"
#include "harness/store/temporary_folder.hpp"
#include "harness/store/write_run.hpp"

namespace ridgeline::store {
namespace series_test {

using record::Outcome;

class Series : public testing::Test {
 protected:
  Series() {
    Store store = Store::create(file);
    begin(store, examples::run("late", "2026-11-21T02:00:00Z"), examples::device(),
          examples::environment());
    begin(store, examples::run("early", "2026-11-20T02:00:00Z"), examples::device(),
          examples::environment());
    const std::int64_t first = add(store, examples::process(0, "early")),
                       second = add(store, examples::process(1, "early"));
    add(store, first, naive, examples::measurement(naive, {100, 100, 100}));
    add(store, second, naive, examples::measurement(naive, {300, 200, 100}));
    add(store, first, tiled, examples::failed(tiled, Outcome::crashed, "gone"));
    const std::int64_t restarted = add(store, examples::process(0, "early"));
    record::Measurement again = examples::measurement(tiled, {50});
    again.attempt = 2;
    add(store, restarted, tiled, again);
  }

  /// Name, outcome and median, sorted.
  std::vector<std::tuple<std::string, Outcome, double>> times(const std::string& run) const {
    const Store store = Store::open(file);
    const auto names = case_names(store);
    std::vector<std::tuple<std::string, Outcome, double>> found;
    series_times(store, run, [&](const SeriesTime& time) {
      found.emplace_back(names.at(time.case_id), time.outcome,
                         has_samples(time.outcome) ? time.median_ns : 0);
    });
    std::ranges::sort(found);
    return found;
  }

  TemporaryFolder folder;
  std::filesystem::path file = folder / "synthetic-gpu.sqlite";
  record::Case naive = examples::gemm_case("naive"), tiled = examples::gemm_case("tiled");
};

TEST_F(Series, RunsComeOldestFirstWithWhatMayExplainThem) {
  const std::vector<StoredRun> runs = series_runs(Store::open(file));
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_EQ(runs[0].run.id, "early");
  EXPECT_EQ(runs[0].run.started, "2026-11-20T02:00:00Z");
  EXPECT_EQ(runs[0].run.profile, "quick");
  EXPECT_EQ(runs[0].device.uuid, "GPU-0000");
  EXPECT_EQ(runs[0].device.comparable, examples::device().comparable);
  EXPECT_EQ(runs[0].environment.hash, "e1");
  EXPECT_EQ(runs[0].environment.comparable, examples::environment().comparable);
  EXPECT_EQ(runs[0].environment.recorded, examples::environment().recorded);
  ASSERT_EQ(runs[0].builds.size(), 1u);
  EXPECT_EQ(runs[0].builds[0].commit, "abc123");
  EXPECT_TRUE(runs[1].builds.empty());
}

TEST_F(Series, AReplicateCountsWithItsLastAttempt) {
  const std::string a = record::name(naive.id), b = record::name(tiled.id);
  const std::vector<std::tuple<std::string, Outcome, double>> expected = {
      {a, Outcome::ok, 100}, {a, Outcome::ok, 200}, {b, Outcome::ok, 50}};
  EXPECT_EQ(times("early"), expected);
  EXPECT_TRUE(times("late").empty());
  EXPECT_TRUE(times("no such run").empty());
}

TEST_F(Series, ATimeSaysOfHowManyExecutionsASampleIs) {
  {
    Store store = Store::create(file);
    begin(store, examples::run("few", "2026-11-22T02:00:00Z"), examples::device(),
          examples::environment());
    record::Measurement few = examples::measurement(naive, {100});
    few.executions_per_sample = 7;
    add(store, add(store, examples::process(0, "few")), naive, few);
  }
  std::vector<std::int64_t> executions;
  series_times(Store::open(file), "few",
               [&](const SeriesTime& time) { executions.push_back(time.executions); });
  EXPECT_EQ(executions, std::vector<std::int64_t>{7});
}

TEST_F(Series, ATimeSaysWhichMeasurementItIsOfAndWhy) {
  {
    Store store = Store::create(file);
    begin(store, examples::run("mixed", "2026-11-22T02:00:00Z"), examples::device(),
          examples::environment());
    add(store, add(store, examples::process(4, "mixed")), naive, examples::measurement(naive));
    add(store, add(store, examples::process(5, "mixed")), naive,
        examples::failed(naive, Outcome::crashed, "gone"));
  }
  std::vector<SeriesTime> times;
  const auto read = [&] {
    times.clear();
    series_times(Store::open(file), "mixed", [&](const auto& time) { times.push_back(time); });
    std::ranges::sort(times, {}, &SeriesTime::replicate);
    ASSERT_EQ(times.size(), 2u);
  };
  read();
  EXPECT_EQ(times[0].replicate, 4);
  EXPECT_EQ(times[0].reason, "");
  EXPECT_TRUE(times[0].has_samples);
  EXPECT_EQ(times[1].replicate, 5);
  EXPECT_EQ(times[1].reason, "gone");
  EXPECT_FALSE(times[1].has_samples);
  std::vector<std::pair<std::int64_t, std::vector<double>>> samples;
  const auto take = [&](std::int64_t id, std::vector<double> ns) {
    samples.emplace_back(id, std::move(ns));
  };
  const std::vector<std::int64_t> ids{times[0].id, times[1].id, 1'000'000};
  series_samples(Store::open(file), DeviceKind::fake, ids, take);
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(samples[0].first, times[0].id);
  EXPECT_EQ(samples[0].second, examples::measurement(naive).samples_ns);
  {
    Store store = Store::create(file);
    prune(store, "mixed", "2026-12-01T00:00:00Z");
  }
  read();
  EXPECT_FALSE(times[0].has_samples);
  samples.clear();
  series_samples(Store::open(file), DeviceKind::fake, ids, take);
  EXPECT_TRUE(samples.empty());
}

TEST_F(Series, SamplesThatNoRidgelineCouldHaveWrittenAreRefused) {
  {
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
    database.exec("UPDATE measurement SET median_ns = 101 WHERE median_ns = 100");
  }
  const std::vector<std::int64_t> ids{1};
  EXPECT_THROW(series_samples(Store::open(file), DeviceKind::fake, ids, [](auto, const auto&) {}),
               Error);
}

TEST_F(Series, MethodsAreWhatTimesOfOneNameMayDifferIn) {
  {
    Store store = Store::create(file);
    const record::Run run = examples::run("methods", "2026-11-22T02:00:00Z");
    begin(store, run, examples::device(), examples::environment());
    record::Measurement cold = examples::measurement(naive), hot = cold;
    hot.cache = "hot";
    hot.flops = 2 * *cold.flops;
    hot.bytes.reset();
    add(store, add(store, examples::process(0, "methods")), naive, cold);
    add(store, add(store, examples::process(1, "methods")), naive, hot);
    add(store, add(store, examples::process(2, "methods")), tiled,
        examples::failed(tiled, Outcome::crashed, "gone"));
  }
  const auto found = series_methods(Store::open(file), "methods");
  ASSERT_EQ(found.size(), 1u) << "what has no time was not measured in any way";
  const SeriesMethod& method = found.at(record::name(naive.id));
  EXPECT_EQ(method.launch, std::set<std::string>{"loop"});
  EXPECT_EQ(method.cache, (std::set<std::string>{"cold", "hot"}));
  EXPECT_EQ(method.buffer_sets, std::set<std::string>{"3"});
  EXPECT_EQ(method.workers, std::set<std::string>{examples::process().build.worker});
  EXPECT_EQ(method.flops, 2 * *naive.flops);
  EXPECT_EQ(method.bytes, naive.bytes);
  EXPECT_TRUE(series_methods(Store::open(file), "no such run").empty());
}

TEST_F(Series, CountsAreThoseOfCountedCases) {
  {
    Store store = Store::create(file);
    record::Run run = examples::run("counted", "2026-11-22T02:00:00Z");
    run.device_uuid = examples::counting_device().uuid;
    begin(store, run, examples::counting_device(), examples::environment());
    add(store, add(store, examples::process(0, "counted")), naive, examples::counted(naive));
  }
  std::vector<std::pair<std::string, double>> found;
  const auto take = [&](const SeriesCount& count) {
    found.emplace_back(count.metric.name, count.metric.value);
  };
  series_counts(Store::open(file), "counted", take);
  EXPECT_EQ(found, (std::vector<std::pair<std::string, double>>{{"barriers", 2},
                                                                {"global_load_sectors", 512}}));
  found.clear();
  series_counts(Store::open(file), "early", take);
  EXPECT_TRUE(found.empty()) << "metrics of timed cases are not counted";
}

TEST_F(Series, RowsThatNoRidgelineCouldHaveWrittenAreRefused) {
  for (const char* damage :
       {"UPDATE measurement SET outcome = 'fine'", "UPDATE measurement SET median_ns = -1",
        "UPDATE measurement SET median_ns = NULL", "UPDATE measurement SET outcome = 'timeout'",
        "UPDATE measurement SET executions_per_sample = 0"}) {
    const std::filesystem::path damaged = folder / "damaged.sqlite";
    std::filesystem::copy_file(file, damaged, std::filesystem::copy_options::overwrite_existing);
    {
      SQLite::Database database(damaged.string(), SQLite::OPEN_READWRITE);
      database.exec("PRAGMA ignore_check_constraints = ON");
      database.exec(damage);
    }
    const Store store = Store::open(damaged);
    EXPECT_THROW(series_times(store, "early", [](const SeriesTime&) {}), Error) << damage;
  }
}

}  // namespace series_test
}  // namespace ridgeline::store
