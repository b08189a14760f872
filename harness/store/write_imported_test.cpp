#include "harness/store/write_imported.hpp"

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/merge.hpp"
#include "harness/store/read_runs.hpp"

namespace ridgeline::store {
namespace write_imported_test {

record::Measurement unverified(const record::Case& info) {
  record::Measurement m = examples::measurement(info);
  m.outcome = record::Outcome::unverified;
  m.reason = "imported";
  m.verification.reset();
  m.settled.reset();
  m.said = {{"label", "x \"y\""}};
  return m;
}

ImportedRun imported_run(const std::string& id, const std::string& sha256) {
  record::Run run = examples::run(id);
  run.imported = "nvbench";
  run.finished = run.started;
  ImportedProcess process{examples::process(0, id), {}};
  process.process.imported = {{"file", "out.json"}, {"sha256", sha256}};
  const record::Case info = examples::gemm_case();
  process.results.emplace_back(info, unverified(info));
  return {run, examples::device(), examples::environment(), {process}};
}

TEST(ImportedRuns, AreReadBackWithWhatTheySay) {
  const Store store = Store::in_memory();
  add(store, imported_run("imported-1", "a"));
  const std::vector<RunSummary> runs = store::runs(store);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs[0].run.imported, "nvbench");
  EXPECT_EQ(runs[0].run.status, record::RunStatus::finished);
  const auto all = measurements(store, "imported-1", Samples::read);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].measurement.outcome, record::Outcome::unverified);
  EXPECT_EQ(all[0].measurement.said, (record::Facts{{"label", "x \"y\""}}));
  ASSERT_EQ(imported_from(store, "imported-1").size(), 1u);
  EXPECT_EQ(imported_from(store, "imported-1")[0].at("file"), "out.json");
  EXPECT_EQ(imported_as(store, "a")->run, "imported-1");
  EXPECT_EQ(imported_as(store, "a")->format, "nvbench");
  EXPECT_FALSE(imported_as(store, "b"));
}

TEST(ImportedRuns, AreWrittenWholeOrNotAtAll) {
  const Store store = Store::in_memory();
  add(store, imported_run("imported-1", "a"));
  EXPECT_THROW(add(store, imported_run("imported-2", "a")), Error) << "the file is there";
  ImportedRun broken = imported_run("imported-3", "c");
  broken.processes[0].results.push_back(broken.processes[0].results[0]);  // one case twice
  EXPECT_THROW(add(store, broken), Error);
  ImportedRun verified = imported_run("imported-4", "d");
  verified.processes[0].results[0].second.verification = record::Verification{0, 1};
  EXPECT_THROW(add(store, verified), Error) << "unverified, with a verification";
  EXPECT_EQ(store::runs(store).size(), 1u);
}

TEST(ImportedRuns, AreMerged) {
  const Store here = Store::in_memory(), there = Store::in_memory();
  add(there, imported_run("imported-1", "a"));
  EXPECT_EQ(merge(here, there, examples::now).runs.added, 1);
  EXPECT_EQ(merge(here, there, examples::now).runs.known, 1);
  EXPECT_EQ(imported_as(here, "a")->run, "imported-1");
  EXPECT_EQ(measurements(here, "imported-1", Samples::read)[0].measurement.said.size(), 1u);
}

}  // namespace write_imported_test
}  // namespace ridgeline::store
