#include "harness/store/prune.hpp"

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/store/baselines.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/integrity_fixture.hpp"
#include "harness/store/read_runs.hpp"
#include "harness/store/temporary_folder.hpp"
#include "harness/store/write_run.hpp"

namespace ridgeline::store {
namespace prune_test {

/// Two runs of three samples each, half a year apart, in a file.
class Pruning : public testing::Test {
 protected:
  Pruning() : store(Store::create(folder / "synthetic-gpu.sqlite")) {
    add_run("old", "2026-01-01T00:00:00Z");
    add_run("new", "2026-07-01T00:00:00Z");
  }

  void add_run(const std::string& id, const std::string& started) {
    begin(store, examples::run(id, started), examples::device(), examples::environment());
    record::Process process = examples::process(0, id);
    process.started = started;
    const std::int64_t process_id = add(store, process);
    const record::Case good = examples::gemm_case(), bad = examples::gemm_case("wmma");
    add(store, process_id, good, examples::measurement(good));
    add(store, process_id, bad, examples::failed(bad, record::Outcome::crashed, "signal 11"));
  }

  record::Measurement first(const std::string& run, Samples samples = Samples::read) const {
    return store::measurements(store, run, samples).at(0).measurement;
  }

  TemporaryFolder folder;
  Store store;
};

TEST_F(Pruning, FindsRunsWhoseSamplesAreAllOlder) {
  EXPECT_TRUE(store::prunable(store, "2026-01-01T00:00:00Z").empty()) << "not older than itself";
  const auto found = store::prunable(store, "2026-07-01T00:00:00Z");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].run_id, "old");
  EXPECT_EQ(found[0].sampled, "2026-01-01T00:00:00Z");
  EXPECT_EQ(found[0].measurements, 1) << "the crashed one has no samples";
  EXPECT_EQ(found[0].samples, 3);
  EXPECT_EQ(found[0].bytes, 24);
  EXPECT_EQ(store::prunable(store, "2027-01-01T00:00:00Z").size(), 2u);
}

TEST_F(Pruning, ARunThatGoesOnIsAsYoungAsItsLatestProcess) {
  record::Process process = examples::process(1, "old");
  process.started = "2026-08-01T00:00:00Z";
  const record::Case info = examples::gemm_case();
  add(store, add(store, process), info, examples::measurement(info));
  EXPECT_TRUE(store::prunable(store, "2026-07-01T00:00:00Z").empty());
}

TEST_F(Pruning, NamesTheBaselinesOfARun) {
  set_baseline(store, {"main", "old", "2026-07-02T00:00:00Z"});
  set_baseline(store, {"v1.0", "old", "2026-07-02T00:00:00Z"});
  EXPECT_EQ(store::prunable(store, "2026-07-01T00:00:00Z").at(0).baselines,
            (std::vector<std::string>{"main", "v1.0"}));
}

TEST_F(Pruning, DropsSamplesAndNothingElse) {
  const record::Measurement before = first("old");
  EXPECT_EQ(prune(store, "old", "2026-12-01T00:00:00Z"), 3);
  for (const Samples samples : {Samples::read, Samples::leave_out}) {
    const record::Measurement after = first("old", samples);
    EXPECT_TRUE(after.samples_ns.empty());
    EXPECT_EQ(after.pruned, (record::Pruned{3, "2026-12-01T00:00:00Z"}));
    EXPECT_EQ(after.sample_count(), 3);
    EXPECT_EQ(after.median_ns, before.median_ns);
    EXPECT_EQ(after.relative_spread, before.relative_spread);
    EXPECT_EQ(after.outcome, record::Outcome::ok);
    EXPECT_EQ(after.metrics.size(), before.metrics.size());
  }
  EXPECT_FALSE(first("new").pruned);
  EXPECT_EQ(first("new").samples_ns, before.samples_ns);
  EXPECT_FALSE(store::measurements(store, "old", Samples::read).at(1).measurement.pruned)
      << "it never had samples";
  EXPECT_NO_THROW(store::check_integrity(store));
}

TEST_F(Pruning, ASecondTimeDropsNothingAndKeepsTheDateOfTheFirst) {
  prune(store, "old", "2026-12-01T00:00:00Z");
  EXPECT_EQ(prune(store, "old", "2026-12-24T00:00:00Z"), 0);
  EXPECT_EQ(first("old").pruned->when, "2026-12-01T00:00:00Z");
  EXPECT_TRUE(store::prunable(store, "2026-07-01T00:00:00Z").empty());
}

TEST_F(Pruning, WhatWasDroppedCanBeStoredAsSuch) {
  record::Measurement m = examples::measurement(examples::gemm_case("naive", 128));
  m.samples_ns.clear();
  m.pruned = record::Pruned{3, "2026-12-01T00:00:00Z"};
  const std::int64_t process = add(store, examples::process(1, "new"));
  add(store, process, examples::gemm_case("naive", 128), m);
  EXPECT_EQ(store::measurements(store, "new", Samples::read).at(2).measurement.pruned, m.pruned);
  m.attempt = 2;
  m.pruned->samples = 0;
  EXPECT_THROW(add(store, process, examples::gemm_case("naive", 128), m), Error)
      << "samples that never were";
  m.pruned.reset();
  EXPECT_THROW(add(store, process, examples::gemm_case("naive", 128), m), Error)
      << "a time without samples";
}

TEST_F(Pruning, ShrinkingGivesTheSpaceBack) {
  const record::Case info = examples::gemm_case();
  const std::int64_t process = add(store, examples::process(1, "old"));
  for (int attempt = 1; attempt <= 50; ++attempt) {
    record::Measurement m = examples::measurement(info, std::vector<double>(1000, 1.5));
    m.attempt = attempt;
    add(store, process, info, m);
  }
  shrink(store);
  const auto full = std::filesystem::file_size(store.file());
  EXPECT_EQ(prune(store, "old", "2026-12-01T00:00:00Z"), 50'003);
  EXPECT_GE(std::filesystem::file_size(store.file()), full);
  shrink(store);
  EXPECT_LT(std::filesystem::file_size(store.file()), full - 350'000);
  EXPECT_NO_THROW(store::check_integrity(store));
}

}  // namespace prune_test
}  // namespace ridgeline::store
