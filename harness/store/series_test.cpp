#include "harness/store/series.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/store.hpp"
#include "harness/store/temporary_folder.hpp"

namespace ridgeline::store {
namespace {

using record::Outcome;

class Series : public testing::Test {
 protected:
  Series() {
    Store store = Store::create(file);
    store.begin(examples::run("late", "2026-11-21T02:00:00Z"), examples::device(), examples::environment());
    store.begin(examples::run("early", "2026-11-20T02:00:00Z"), examples::device(), examples::environment());
    const std::int64_t first = store.add(examples::process(0, "early")),
                       second = store.add(examples::process(1, "early"));
    store.add(first, naive, examples::measurement(naive, {100, 100, 100}));
    store.add(second, naive, examples::measurement(naive, {300, 200, 100}));
    store.add(first, tiled, examples::failed(tiled, Outcome::crashed, "gone"));
    const std::int64_t restarted = store.add(examples::process(0, "early"));
    record::Measurement again = examples::measurement(tiled, {50});
    again.attempt = 2;
    store.add(restarted, tiled, again);
  }

  /// Name, outcome and median, sorted.
  std::vector<std::tuple<std::string, Outcome, double>> times(const std::string& run) const {
    const SeriesReader reader(file);
    const auto names = reader.case_names();
    std::vector<std::tuple<std::string, Outcome, double>> found;
    reader.times(run, [&](const SeriesTime& time) {
      found.emplace_back(names.at(time.case_id), time.outcome, has_samples(time.outcome) ? time.median_ns : 0);
    });
    std::ranges::sort(found);
    return found;
  }

  TemporaryFolder folder;
  std::filesystem::path file = folder / "synthetic-gpu.sqlite";
  record::Case naive = examples::gemm_case("naive"), tiled = examples::gemm_case("tiled");
};

TEST_F(Series, RunsComeOldestFirstWithWhatMayExplainThem) {
  const std::vector<SeriesRun> runs = SeriesReader(file).runs();
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

TEST_F(Series, CountsAreThoseOfCountedCases) {
  {
    Store store = Store::create(file);
    record::Run run = examples::run("counted", "2026-11-22T02:00:00Z");
    run.device_uuid = examples::counting_device().uuid;
    store.begin(run, examples::counting_device(), examples::environment());
    store.add(store.add(examples::process(0, "counted")), naive, examples::counted(naive));
  }
  std::vector<std::pair<std::string, double>> found;
  const auto take = [&](const SeriesCount& count) { found.emplace_back(count.metric.name, count.metric.value); };
  SeriesReader(file).counts("counted", take);
  EXPECT_EQ(found, (std::vector<std::pair<std::string, double>>{{"barriers", 2}, {"global_load_sectors", 512}}));
  found.clear();
  SeriesReader(file).counts("early", take);
  EXPECT_TRUE(found.empty()) << "metrics of timed cases are not counted";
}

TEST_F(Series, RowsThatNoRidgelineCouldHaveWrittenAreRefused) {
  for (const char* damage : {"UPDATE measurement SET outcome = 'fine'", "UPDATE measurement SET median_ns = -1",
                             "UPDATE measurement SET median_ns = NULL", "UPDATE measurement SET outcome = 'timeout'"}) {
    const std::filesystem::path damaged = folder / "damaged.sqlite";
    std::filesystem::copy_file(file, damaged, std::filesystem::copy_options::overwrite_existing);
    {
      SQLite::Database database(damaged.string(), SQLite::OPEN_READWRITE);
      database.exec("PRAGMA ignore_check_constraints = ON");
      database.exec(damage);
    }
    const SeriesReader reader(damaged);
    EXPECT_THROW(reader.times("early", [](const SeriesTime&) {}), Error) << damage;
  }
  EXPECT_THROW(SeriesReader(folder / "missing.sqlite"), Error);
}

}  // namespace
}  // namespace ridgeline::store
