#include "harness/present/report_data.hpp"

#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/json_reread_fixture.hpp"
#include "harness/present/documented_example.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/write_run.hpp"

namespace ridgeline::present {
namespace report_data_test {

using Json = nlohmann::ordered_json;
namespace examples = store::examples;

record::Measurement one_process(const record::Case& info, double median_ns) {
  record::Measurement m =
      examples::measurement(info, {1.1 * median_ns, median_ns, 0.9 * median_ns});
  m.launch = "graph";
  m.telemetry = {};
  m.telemetry.sm_clock_mhz = 1755;
  m.telemetry.power_w = 512.5;
  m.telemetry.temperature_c = 61;
  return m;
}

/// The run that docs/report-format.md shows: a case over three processes, and one that crashed.
ReportRun example() {
  ReportRun data;
  data.run = examples::run();
  data.run.seed = 7;
  data.repeat = "ridgeline run --device fake:0 --seed 7 gemm";
  data.run.finished = "2026-11-20T12:47:40Z";
  data.run.status = record::RunStatus::finished;
  data.status = "finished";
  data.device = examples::device();
  data.environment = examples::environment();
  data.builds = {examples::process().build};
  data.roofs = {{"dram.copy", 4e9, "B/s", "measured"},
                {"fma.f32", 2e10, "FLOP/s", "a synthetic datasheet"}};
  const record::Case good = examples::gemm_case("tiled", 64),
                     bad = examples::gemm_case("naive", 64);
  std::int64_t id = 0;
  for (int replicate = 0; replicate < 3; ++replicate) {
    const double median_ns = 40000 + 400 * (replicate - 1);
    data.measurements.push_back(
        {++id, replicate + 1, good, replicate, one_process(good, median_ns)});
  }
  data.measurements.push_back({++id, 1, bad, 0,
                               examples::failed(bad, record::Outcome::crashed,
                                                "killed by signal 11 (Segmentation fault)")});
  for (auto& stored : data.measurements) stored.samples = stored.measurement.sample_count();
  return data;
}

/// The run that docs/report-format.md shows of a device that counts: a case with two sites, and one
/// that was not.
ReportRun counted_example() {
  ReportRun data;
  data.run = examples::run("20261120T124800Z-c0c0c0", "2026-11-20T12:48:00Z");
  data.run.label.clear();
  data.run.seed = 7;
  data.run.command_line = "ridgeline run gemm --device emulated:sm_00";
  data.repeat = data.run.command_line + " --seed 7";
  data.run.finished = "2026-11-20T12:48:03Z";
  data.run.status = record::RunStatus::finished;
  data.status = "finished";
  data.device = examples::counting_device();
  data.device.model = "synthetic-emulated";
  data.environment = examples::environment();
  const record::Case naive = examples::gemm_case("naive", 64),
                     wmma = examples::gemm_case("wmma", 64);
  record::Measurement counted = examples::counted(naive);
  counted.sources = {
      {"kernels/gemm/naive.cu", "// A row of text for each line that a site names.\n"}};
  data.measurements = {
      {1, 1, naive, 0, counted},
      {2, 1, wmma, 0, examples::failed(wmma, record::Outcome::unsupported, "mma.sync")},
  };
  return data;
}

TEST(ReportData, IsWhatItsPageShows) {
  expect_documented("## Example", report_document({example(), counted_example()},
                                                  "2026-11-20T13:00:00Z", "0.1.0"));
}

TEST(ReportData, LeavesOutWhatIsNotKnownOrNoNumber) {
  ReportRun data = example();
  data.measurements.resize(1);
  record::Measurement& m = data.measurements[0].measurement;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  m.outcome = record::Outcome::wrong_result;
  m.samples_ns.clear();
  m.median_ns.reset();
  m.verification = record::Verification{nan, 1e-5};
  m.metrics = {
      {"memory_bytes", std::numeric_limits<double>::infinity(), "B", record::Direction::lower}};
  const Json document = json::reread(report_document({data}, "", ""));
  const Json& only = document.at("runs").at(0).at("cases").at(0);
  EXPECT_EQ(only.at("words").at("error"), "no number / 1e-05");
  EXPECT_TRUE(only.at("metrics").empty()) << "a failure carries no number";
  for (const char* key : {"median_ns", "interval_ns", "flop_rate", "byte_rate"})
    EXPECT_FALSE(only.contains(key)) << key;
  EXPECT_EQ(document.dump().find("null"), std::string::npos);
  m.outcome = record::Outcome::unstable;
  const Json unsteady =
      json::reread(report_document({data}, "", "")).at("runs").at(0).at("cases").at(0);
  EXPECT_EQ(unsteady.at("metrics").at(0).at("name"), "memory_bytes");
  EXPECT_FALSE(unsteady.at("metrics").at(0).contains("value"));
}

std::string warnings_of(const ReportRun& data) {
  const Json run = json::reread(report_document({data}, "", "")).at("runs").at(0);
  return run.at("warnings").dump();
}

TEST(ReportData, WarnsAReader) {
  ReportRun data = example();
  data.builds[0].dirty = false;
  EXPECT_EQ(warnings_of(data), "[]");
  data.builds[0].dirty = true;
  data.builds[0].commit = "0123456789abcdef";
  EXPECT_EQ(warnings_of(data),
            R"(["ridgeline-suites was built from a tree with uncommitted changes: )"
            R"(commit 0123456789ab alone does not give this code."])");
  data.builds[0].dirty = false;
  data.builds.push_back(data.builds[0]);
  EXPECT_EQ(warnings_of(data), "[]");
  data.builds.back().code_hash = "other";
  data.roofs.erase(data.roofs.begin());
  data.measurements.erase(data.measurements.begin());
  EXPECT_EQ(warnings_of(data),
            R"(["A worker was rebuilt during the run: its processes did not all measure the same )"
            R"(code.","No ceiling was measured in this run, so shares are of the datasheet's )"
            R"(roofs, or absent.","1 of 1 measured cases have fewer than 3 processes and )"
            R"(therefore no interval."])");
  EXPECT_EQ(warnings_of(counted_example()), "[]") << "no ceiling is missed";
}

TEST(ReportData, SaysWhichVariantIsAVendorsLibrary) {
  ReportRun data = example();
  data.measurements.back().case_info = examples::gemm_case("openblas", 64);
  const Json cases = json::reread(report_document({data}, "", "")).at("runs").at(0).at("cases");
  EXPECT_EQ(cases.at(0).at("vendor"), true);
  EXPECT_FALSE(cases.at(1).contains("vendor"));
}

TEST(ReportData, SaysTheWorkThatTheDeviceChose) {
  ReportRun data = example();
  for (store::StoredMeasurement& stored : data.measurements) {
    stored.case_info.flops.reset();
    stored.measurement.flops = 123.0;
  }
  const Json cases = json::reread(report_document({data}, "", "")).at("runs").at(0).at("cases");
  EXPECT_FALSE(cases.at(0).contains("flops")) << "the crashed case prepared nothing";
  EXPECT_EQ(cases.at(1).at("flops"), 123.0);
}

TEST(ReportData, SaysHowManySamplesEveryAttemptTookInOrder) {
  ReportRun data = example();
  data.measurements.push_back(data.measurements[0]);
  data.measurements.back().id = 99;
  data.measurements.back().measurement.attempt = 2;
  data.measurements.back().samples = 1;
  const Json cases = json::reread(report_document({data}, "", "")).at("runs").at(0).at("cases");
  EXPECT_EQ(cases.at(1).at("words").at("samples"), "3 + 1 + 3 + 3");
}

TEST(ReportData, ReadsARunFromItsStore) {
  store::Store results = store::Store::in_memory();
  store::begin(results, examples::run(), examples::device(), examples::environment());
  const record::Case info = examples::gemm_case();
  store::add(results, store::add(results, examples::process()), info, examples::measurement(info));
  store::add(results, examples::run().id, record::Roof{"dram.copy", 4e9, "B/s", "measured"});
  const ReportRun data = read_report_run(results, store::runs(results).at(0), "finished", "");
  EXPECT_EQ(data.device.model, "synthetic-gpu");
  EXPECT_EQ(data.environment.hash, "e1");
  EXPECT_EQ(data.builds.size(), 1u);
  EXPECT_EQ(data.roofs.size(), 1u);
  ASSERT_EQ(data.measurements.size(), 1u);
  const Json only =
      json::reread(report_document({data}, "", "")).at("runs").at(0).at("cases").at(0);
  EXPECT_EQ(only.at("words").at("samples"), "3");
}

TEST(ReportData, ReadsTheSitesOfACountedRunFromItsStore) {
  store::Store results = store::Store::in_memory();
  record::Run counted = examples::run();
  counted.device_uuid = examples::counting_device().uuid;
  store::begin(results, counted, examples::counting_device(), examples::environment());
  const record::Case info = examples::gemm_case();
  store::add(results, store::add(results, examples::process()), info, examples::counted(info));
  const ReportRun data = read_report_run(results, store::runs(results).at(0), "finished", "");
  const Json run = json::reread(report_document({data}, "", "")).at("runs").at(0);
  const Json& only = run.at("cases").at(0);
  EXPECT_EQ(only.at("outcome"), "counted");
  EXPECT_EQ(only.at("sites").size(), 2u);
  EXPECT_EQ(only.at("metrics").size(), 2u);
  EXPECT_EQ(only.at("sources"), Json(std::vector{0}));
  EXPECT_EQ(run.at("sources").at(0).at("text"), "// naive\n");
  for (const char* key : {"median_ns", "interval_ns", "flop_rate"})
    EXPECT_FALSE(only.contains(key));
}

TEST(ReportData, ACountedCaseWithAFailureHasNoSites) {
  ReportRun data = counted_example();
  const record::Case info = data.measurements[0].case_info;
  data.measurements.push_back(
      {3, 2, info, 1, examples::failed(info, record::Outcome::wrong_result, "a race")});
  const Json run = json::reread(report_document({data}, "", "")).at("runs").at(0);
  EXPECT_EQ(run.at("cases").at(0).at("outcome"), "wrong_result");
  EXPECT_FALSE(run.at("cases").at(0).contains("sites"));
  EXPECT_TRUE(run.at("sources").empty());
}

}  // namespace report_data_test
}  // namespace ridgeline::present
