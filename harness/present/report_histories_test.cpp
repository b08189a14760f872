// What a report says of cases over all runs. All times are made up.

#include "harness/present/report_histories.hpp"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/analysis/summary.hpp"
#include "harness/base/json_reread_fixture.hpp"
#include "harness/gate/git.hpp"
#include "harness/present/case_histories.hpp"
#include "harness/present/documented_example.hpp"
#include "harness/present/write_document.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/prune.hpp"
#include "harness/store/temporary_folder.hpp"
#include "harness/store/write_run.hpp"

namespace ridgeline::present {
namespace report_histories_test {

using Json = nlohmann::ordered_json;
using record::Outcome;
namespace examples = store::examples;

const record::Case naive = examples::gemm_case("naive"), tiled = examples::gemm_case("tiled");
const std::string naive_name = record::name(naive.id);

/// How a run differs from others.
struct Also {
  std::string driver = "580", commit = "unknown", gate{};
  record::Case info = naive;
  record::Device device = examples::device();
};

class HistoriesOfAReport : public testing::Test {
 protected:
  HistoriesOfAReport() { std::filesystem::create_directories(folder.path()); }

  static std::string id_of(int day) { return "202611" + std::to_string(day) + "T100000Z-aaaaaa"; }

  /// A run with a process for each of `measured`.
  void add_run(int day, const std::vector<record::Measurement>& measured, const Also& also = {},
               const std::string& file = "synthetic-gpu.sqlite") const {
    const std::string started = "2026-11-" + std::to_string(day) + "T10:00:00Z";
    store::Store store = store::Store::create(folder / file);
    record::Environment environment = examples::environment();
    environment.comparable["driver_branch"] = also.driver;
    environment.hash = "e" + also.driver;
    record::Run run = examples::run(id_of(day), started);
    run.device_uuid = also.device.uuid;
    run.seed = 7;
    run.gate = also.gate;
    store::begin(store, run, also.device, environment);
    for (std::size_t i = 0; i < measured.size(); ++i) {
      record::Process process = examples::process(static_cast<int>(i), run.id);
      process.build.commit = also.commit;
      store::add(store, store::add(store, process), also.info, measured[i]);
    }
    store::finish(store, run.id, record::RunStatus::finished, started);
  }

  /// A process for each of these medians.
  static std::vector<record::Measurement> processes(const std::vector<double>& medians_ns,
                                                    const record::Case& info = naive) {
    std::vector<record::Measurement> measured;
    for (const double ns : medians_ns)
      measured.push_back(examples::measurement(info, {0.5 * ns, ns, 2 * ns}));
    return measured;
  }
  static std::vector<record::Measurement> crashed() {
    return {examples::failed(naive, Outcome::crashed, "killed by signal 11")};
  }

  ReportHistories report(const std::set<std::string>& shown = {}) const {
    RunReader runs(store::all_runs(folder.path(), [](const Error&) {}), {});
    return report_histories(folder.path(), "", shown, runs,
                            [](const Error& why) { ADD_FAILURE() << why.what(); });
  }
  Json devices(const std::set<std::string>& shown = {}) const {
    return json::reread(report(shown).devices);
  }

  store::TemporaryFolder folder;
};

TEST_F(HistoriesOfAReport, HaveAValueForEachRunThatGaveOne) {
  add_run(20, processes({1000, 1010, 1020}));
  add_run(21, crashed(), {.driver = "590"});
  add_run(22, processes({1000, 2000, 4000.0004}), {.driver = "590"});
  const Json device = devices({id_of(22)}).at(0);
  EXPECT_EQ(device.at("device").at("uuid"), "GPU-0000");
  ASSERT_EQ(device.at("environments").size(), 2u);
  EXPECT_FALSE(device.at("environments")[0].contains("changed"));
  EXPECT_EQ(device.at("environments")[1].at("changed"), "driver_branch 580 -> 590");
  ASSERT_EQ(device.at("runs").size(), 3u);
  EXPECT_EQ(device.at("runs")[0].at("id"), id_of(20));
  EXPECT_EQ(device.at("runs")[0].at("environment"), 0);
  EXPECT_EQ(device.at("runs")[2].at("environment"), 1);
  EXPECT_EQ(device.at("runs")[2].at("status"), "finished");
  ASSERT_EQ(device.at("cases").size(), 1u);
  const Json& only = device.at("cases")[0];
  EXPECT_EQ(only.at("name"), naive_name);
  EXPECT_EQ(only.at("problem").at("k"), "64");
  EXPECT_EQ(only.at("runs"), Json::parse("[[0,0],[2,2]]"));
  EXPECT_EQ(only.at("median_ns"), Json(std::vector{1010, 2000}));
  EXPECT_EQ(only.at("unsteady"), Json(std::vector{2})) << "its processes differ too much";
  EXPECT_EQ(only.at("without_interval"), Json::array());
  EXPECT_EQ(only.at("without"),
            Json::parse(R"([{"run":1,"outcome":"crashed","reason":"killed by signal 11"}])"));
  ASSERT_EQ(only.at("doubted").size(), 1u);
  EXPECT_EQ(only.at("doubted")[0].at("run"), 2);
  EXPECT_EQ(only.at("doubted")[0].at("outcome"), "unstable");
  EXPECT_NE(only.at("doubted")[0].at("reason"), "") << "it says why";
  EXPECT_EQ(only.at("latest"), Json::parse(R"({"run":2})")) << "it stands where the run stands";
  EXPECT_EQ(only.at("repeat"),
            "ridgeline run --device fake:0 --seed 7 gemm/naive/f32/m=64,n=64,k=64");
}

TEST_F(HistoriesOfAReport, SayWhatTheSummaryOfARunSays) {
  add_run(20, processes({1234.5678, 1300.25, 1250.125, 1270}));
  record::Measurement disturbed = examples::measurement(naive, {1500});
  disturbed.outcome = Outcome::invalid_environment;
  disturbed.reason = "others computed";
  std::vector<record::Measurement> mixed = processes({1100, 1110, 1120});
  mixed.push_back(disturbed);
  add_run(21, mixed);
  add_run(22, {disturbed});
  const Json only = devices().at(0).at("cases").at(0);
  const store::Store store = store::Store::open(folder / "synthetic-gpu.sqlite");
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string run = id_of(20 + static_cast<int>(i));
    const analysis::CaseSummary summary =
        analysis::summarise(store::measurements(store, run, store::Samples::leave_out), {}, 0.05)
            .at(0);
    ASSERT_TRUE(summary.median_ns) << run;
    const stats::Interval none{*summary.median_ns, *summary.median_ns},
        interval = summary.interval_ns.value_or(none);
    EXPECT_NEAR(only.at("median_ns").at(i).get<double>(), *summary.median_ns, 0.005) << run;
    const double median = only.at("median_ns").at(i).get<double>();
    EXPECT_NEAR(median - only.at("below_ns").at(i).get<double>(), interval.low,
                0.005 * std::abs(median - interval.low) + 0.01)
        << run;
    EXPECT_NEAR(median + only.at("above_ns").at(i).get<double>(), interval.high,
                0.005 * std::abs(interval.high - median) + 0.01)
        << run;
  }
  EXPECT_EQ(only.at("median_ns").at(0), 1260.06) << "with six digits";
  EXPECT_EQ(only.at("unsteady"), Json(std::vector{1, 2})) << "disturbed";
  EXPECT_EQ(only.at("without_interval"), Json(std::vector{2})) << "one process";
}

TEST_F(HistoriesOfAReport, ShowTwoModesOfSamples) {
  std::vector<double> one(100, 1000.0), two(60, 1000.0);
  two.resize(100, 2000.0);
  add_run(20, {examples::measurement(naive, one)});
  add_run(21, {examples::measurement(naive, one), examples::measurement(naive, two)});
  add_run(22, crashed());
  add_run(23, {examples::measurement(naive, {5})});
  {
    store::Store store = store::Store::create(folder / "synthetic-gpu.sqlite");
    EXPECT_EQ(store::prune(store, id_of(23), "2026-12-01T00:00:00Z"), 1);
  }
  const Json samples = devices().at(0).at("cases").at(0).at("samples");
  EXPECT_EQ(samples.at("low_ns"), 1000) << "dropped samples are in no run";
  EXPECT_EQ(samples.at("high_ns"), 2000);
  ASSERT_EQ(samples.at("runs").size(), 2u);
  const Json& last = samples.at("runs")[1];
  EXPECT_EQ(last.at("run"), 1);
  EXPECT_EQ(last.at("count"), 200) << "of both processes";
  EXPECT_EQ(last.at("first"), 0);
  ASSERT_EQ(last.at("counts").size(), 48u);
  EXPECT_EQ(last.at("counts").front(), 160);
  EXPECT_EQ(last.at("counts").back(), 40);
  EXPECT_EQ(last.at("p90_ns"), 2000);
}

TEST_F(HistoriesOfAReport, ShowTheSamplesOfTheNewestTenRuns) {
  for (int day = 10; day < 22; ++day) add_run(day, processes({1000.0 + day}));
  const Json runs = devices().at(0).at("cases").at(0).at("samples").at("runs");
  ASSERT_EQ(runs.size(), 10u);
  EXPECT_EQ(runs[0].at("run"), 2);
  EXPECT_EQ(runs[9].at("run"), 11);
}

TEST_F(HistoriesOfAReport, HaveNoTimesOfADeviceThatCounts) {
  const Also counting{.device = examples::counting_device()};
  for (const int day : {20, 21}) add_run(day, {examples::counted(naive)}, counting);
  const Json device = devices().at(0);
  const Json& only = device.at("cases").at(0);
  for (const char* key : {"runs", "median_ns", "without", "unsteady"})
    EXPECT_TRUE(only.at(key).empty()) << key;
  EXPECT_FALSE(only.contains("samples"));
  EXPECT_EQ(only.at("latest").at("run"), 1);
  const Json& last = only.at("latest").at("case");
  EXPECT_EQ(last.at("outcome"), "counted");
  EXPECT_EQ(last.at("sites").size(), 2u);
  EXPECT_EQ(device.at("sources").at(last.at("sources").at(0).get<std::size_t>()).at("text"),
            "// naive\n");
}

TEST_F(HistoriesOfAReport, HaveTheLastResultOfACaseThatNoShownRunHas) {
  add_run(20, processes({1000, 1010, 1020}));
  add_run(21, processes({500, 510, 520}, tiled), {.info = tiled});
  RunReader runs(store::all_runs(folder.path(), [](const Error&) {}), {});
  const Json older =
      json::reread(report_document({runs.read(*runs.find(id_of(20)))}, "", "")).at("runs").at(0);
  const Json cases = devices({id_of(21)}).at(0).at("cases");
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(cases[0].at("latest").at("run"), 0);
  EXPECT_EQ(cases[0].at("latest").at("case"), older.at("cases").at(0));
  EXPECT_FALSE(cases[1].at("latest").contains("case"));
}

TEST_F(HistoriesOfAReport, LeaveOutWhatGatesMeasuredAndCountARunOfTwoFilesOnce) {
  add_run(20, processes({1000}));
  add_run(22, processes({1000}));
  add_run(23, processes({1000}), {.gate = "20261123T100000Z-gate"});
  std::filesystem::copy_file(folder / "synthetic-gpu.sqlite", folder / "a-copy.sqlite");
  add_run(21, processes({2000}), {}, "a-copy.sqlite");
  const Json found = devices();
  ASSERT_EQ(found.size(), 1u);
  ASSERT_EQ(found.at(0).at("runs").size(), 3u);
  EXPECT_EQ(found.at(0).at("runs")[1].at("id"), id_of(21));
  EXPECT_EQ(found.at(0).at("cases").at(0).at("runs"), Json::parse("[[0,2]]"));
  EXPECT_EQ(found.at(0).at("cases").at(0).at("median_ns"), Json(std::vector{1000, 2000, 1000}));
}

TEST_F(HistoriesOfAReport, LeaveOutADeviceThatCannotBeRead) {
  record::Device other = examples::device();
  other.model = "synthetic-other";
  add_run(20, processes({1000}));
  add_run(20, processes({777.25}), {.device = other}, "synthetic-other.sqlite");
  // A sample is no longer the median that the file says.
  const std::filesystem::path file = folder / "synthetic-other.sqlite";
  std::ostringstream read;
  read << std::ifstream(file, std::ios::binary).rdbuf();
  std::string bytes = read.str();
  const auto as_stored = [](double ns) {
    return std::string(reinterpret_cast<const char*>(&ns), sizeof ns);
  };
  const std::size_t place = bytes.find(as_stored(777.25));
  ASSERT_NE(place, bytes.npos);
  std::ofstream(file, std::ios::binary) << bytes.replace(place, sizeof(double), as_stored(800));
  RunReader runs(store::all_runs(folder.path(), [](const Error&) {}), {});
  std::vector<std::string> why;
  const ReportHistories found =
      report_histories(folder.path(), "", {id_of(20)}, runs,
                       [&](const Error& error) { why.emplace_back(error.what()); });
  ASSERT_EQ(why.size(), 1u);
  EXPECT_NE(why[0].find("is not the median of its samples"), std::string::npos) << why[0];
  const Json left = json::reread(found.devices);
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left.at(0).at("device").at("model"), "synthetic-gpu");
}

TEST_F(HistoriesOfAReport, GoBackSoManyRuns) {
  add_run(19, processes({1}, tiled), {.info = tiled});
  for (int day = 20; day < 23; ++day) add_run(day, processes({1000.0 + day}));
  StoredNames names;
  const auto found =
      device_histories(folder.path(), {.patterns = {}, .device = {}, .runs = 2}, names, {});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].older, 2u);
  ASSERT_EQ(found[0].runs.size(), 2u);
  EXPECT_EQ(found[0].runs[0].run.id, id_of(21));
  ASSERT_EQ(found[0].cases.size(), 1u) << "the other one is older";
  EXPECT_EQ(found[0].cases[0].results.size(), 2u);
  EXPECT_EQ(names.cases.size(), 2u);
}

TEST_F(HistoriesOfAReport, LinkCommitsOfThisRepositoryAlone) {
  const store::TemporaryFolder home;
  const auto in_home = [&](const std::vector<std::string>& arguments) {
    const process::ToolResult result = gate::git(home.path(), arguments);
    EXPECT_TRUE(result.fine) << result.words;
    return result.output;
  };
  std::filesystem::create_directories(home / "suites/profiles");
  in_home({"init", "--quiet"});
  in_home({"-c", "user.name=Nobody", "-c", "user.email=nobody@example.org", "commit", "--quiet",
           "--allow-empty", "--message=first"});
  in_home({"remote", "add", "origin", "https://somebody@forge.example/owner/name.git"});
  setenv("RIDGELINE_HOME", home.path().c_str(), 1);
  add_run(20, processes({1000}), {.commit = std::string(40, 'a')});
  EXPECT_EQ(report().commits, "") << "that of another repository";
  const std::string own = in_home({"rev-parse", "HEAD"});
  add_run(21, processes({1000}), {.commit = own});
  const ReportHistories found = report();
  unsetenv("RIDGELINE_HOME");
  EXPECT_EQ(found.commits, "https://forge.example/owner/name/commit/");
  const Json runs = json::reread(found.devices).at(0).at("runs");
  EXPECT_EQ(runs[0].at("commit"), std::string(40, 'a'));
  EXPECT_FALSE(runs[0].contains("linked"));
  EXPECT_EQ(runs[1].at("commit"), own);
  EXPECT_EQ(runs[1].at("linked"), true);
}

TEST_F(HistoriesOfAReport, HaveALinePerCaseInTheDocument) {
  add_run(20, processes({1000}));
  add_run(21, processes({500}, tiled), {.info = tiled});
  json::Value document{{"format", "ridgeline-report"}, {"runs", json::Value::array()}};
  document["histories"] = report().devices;
  std::ostringstream written;
  write_document(written, document);
  EXPECT_EQ(json::reread(document), Json::parse(written.str()));
  EXPECT_NE(written.str().find("\n \"runs\": [],\n"), std::string::npos);
  std::istringstream lines(written.str());
  std::size_t with_times = 0;
  for (std::string line; std::getline(lines, line);)
    with_times += line.find("median_ns") != line.npos;
  EXPECT_EQ(with_times, 2u);
}

TEST_F(HistoriesOfAReport, AreWhatThePageShows) {
  add_run(20, processes({1000, 1010, 1020}));
  const std::string commit = "0123456789abcdef0123456789abcdef01234567";
  add_run(21, crashed(), {.driver = "590", .commit = commit});
  add_run(22, processes({1000, 2000}), {.driver = "590", .commit = commit});
  expect_documented("## Example of a history", report({id_of(22)}).devices.elements().at(0));
}

}  // namespace report_histories_test
}  // namespace ridgeline::present
