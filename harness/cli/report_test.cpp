#include <cstdlib>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "harness/base/shell.hpp"
#include "harness/cli/main.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/read_runs.hpp"
#include "harness/store/temporary_folder.hpp"
#include "harness/store/write_gate.hpp"

namespace ridgeline::cli {
namespace report_test {

namespace examples = store::examples;
namespace fs = std::filesystem;

/// A results folder with one run, and a script in the place of Python, which exits with `code`.
class Report : public testing::Test {
 protected:
  Report() {
    setenv("RIDGELINE_PYTHON", python("exit 0").c_str(), 1);
    setenv("RIDGELINE_LOCKS", folder.path().c_str(), 1);
    add_run("20261120T124501Z-aaaaaa", "2026-11-20T12:45:01Z", record::RunStatus::finished);
  }
  ~Report() override {
    for (const char* name : {"RIDGELINE_PYTHON", "RIDGELINE_LOCKS"}) unsetenv(name);
  }

  std::string python(const std::string& body) {
    const fs::path script = folder / "python";
    std::ofstream(script) << "#!/bin/sh\n"
                          << "echo \"$@\" >> " << shell_line({(folder / "calls").string()}) << "\n"
                          << body << "\n";
    chmod(script.c_str(), 0755);
    return script.string();
  }

  void add_run(const std::string& id, const std::string& started,
               std::optional<record::RunStatus> status,
               const std::string& model = "synthetic-gpu") {
    record::Device device = examples::device();
    device.model = model;
    device.uuid = "uuid of " + model;
    record::Run run = examples::run(id, started);
    run.device_uuid = device.uuid;
    store::Store results = store::Store::create(results_folder / (model + ".sqlite"));
    store::begin(results, run, device, examples::environment());
    const record::Case info = examples::gemm_case();
    store::add(results, store::add(results, examples::process(0, id)), info,
               examples::measurement(info));
    if (status) store::finish(results, id, *status, started);
  }

  nlohmann::json document() {
    return nlohmann::json::parse(std::ifstream(results_folder / "report" / "report.json"));
  }

  /// A gate of two runs of its own, which passes one case when it has finished.
  void add_gate(const std::string& id, const std::string& started, record::RunStatus status,
                bool decided = true) {
    const record::Gate gate = examples::gate(id, started);
    store::Store results = store::Store::create(results_folder / "synthetic-gpu.sqlite");
    record::Device device = examples::device();
    device.uuid = "uuid of synthetic-gpu";
    for (const std::string& run_id : {gate.baseline_run, gate.candidate_run}) {
      record::Run side = examples::side(gate, run_id);
      side.device_uuid = device.uuid;
      store::begin(results, side, device, examples::environment());
      const record::Case info = examples::gemm_case();
      store::add(results, store::add(results, examples::process(0, run_id)), info,
                 examples::measurement(info));
    }
    record::Gate with_device = gate;
    with_device.device_uuid = device.uuid;
    store::begin(results, with_device);
    if (decided) store::add(results, gate.id, examples::pass());
    if (status != record::RunStatus::running) store::finish_gate(results, gate.id, status, started);
  }

  int ridgeline(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "--quiet");
    return talking(std::move(arguments));
  }
  int talking(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(),
                     {"ridgeline", "report", "--results", results_folder.string()});
    std::vector<char*> argv;
    for (std::string& argument : arguments) argv.push_back(argument.data());
    argv.push_back(nullptr);
    return cli::main(static_cast<int>(arguments.size()), argv.data());
  }

  std::vector<std::string> ids_in(const fs::path& document, const char* what) {
    const nlohmann::json written = nlohmann::json::parse(std::ifstream(document));
    std::vector<std::string> ids;
    for (const auto& one : written.at(what)) ids.push_back(one.value("gate", one).at("id"));
    return ids;
  }
  std::vector<std::string> runs_in(const fs::path& document) { return ids_in(document, "runs"); }

  store::TemporaryFolder folder;
  fs::path results_folder = folder / "results";
};

TEST_F(Report, WritesTheDocumentAndHandsItToPython) {
  ASSERT_EQ(ridgeline({}), 0);
  const fs::path output = results_folder / "report";
  EXPECT_EQ(runs_in(output / "report.json"), (std::vector<std::string>{"20261120T124501Z-aaaaaa"}));
  std::string call;
  std::getline(std::ifstream(folder / "calls"), call);
  EXPECT_EQ(call,
            "-m reports --output=" + output.string() + " -- " + (output / "report.json").string());
}

TEST_F(Report, HandsFormatsToPythonAndRefusesOthers) {
  ASSERT_EQ(ridgeline({"--formats", "csv,png"}), 0);
  std::string call;
  std::getline(std::ifstream(folder / "calls"), call);
  EXPECT_NE(call.find(" --formats=csv,png -- "), std::string::npos) << call;
  EXPECT_EQ(ridgeline({"--formats", "png,gif"}), 64);
  EXPECT_EQ(ridgeline({"--formats", "png", "--text"}), 64);
}

TEST_F(Report, TellsTheBestOfEachSuiteOfEachRunBetweenWhatItIsOfAndWhereItIs) {
  const std::string table =
      "suite  best case                         rate  of roof  over naive  over vendor\n"
      "gemm   naive/f32/m=64,n=64,k=64  4.77 TFLOP/s\n\n";
  const auto said = [&] {
    testing::internal::CaptureStdout();
    EXPECT_EQ(talking({}), 0);
    return testing::internal::GetCapturedStdout();
  };
  const std::string page = "report: " + (results_folder / "report" / "index.html").string() + "\n";
  EXPECT_EQ(said(), "run 20261120T124501Z-aaaaaa on synthetic-gpu, finished\n" + table + page);
  add_run("20261119T000000Z-dddddd", "2026-11-19T00:00:00Z", record::RunStatus::finished,
          "synthetic-other");
  const std::string both = said();
  EXPECT_NE(both.find("synthetic-gpu:\n" + table + "synthetic-other:\n" + table + page),
            std::string::npos)
      << both;
}

TEST_F(Report, TakesTheNewestFinishedRunOfEachModel) {
  add_run("20261121T000000Z-bbbbbb", "2026-11-21T00:00:00Z", record::RunStatus::finished);
  add_run("20261122T000000Z-cccccc", "2026-11-22T00:00:00Z", record::RunStatus::interrupted);
  add_run("20261119T000000Z-dddddd", "2026-11-19T00:00:00Z", std::nullopt, "synthetic-other");
  ASSERT_EQ(ridgeline({"--output", (folder / "out").string()}), 0);
  EXPECT_EQ(runs_in(folder / "out" / "report.json"),
            (std::vector<std::string>{"20261121T000000Z-bbbbbb", "20261119T000000Z-dddddd"}));
}

TEST_F(Report, TakesTheNewestFinishedGateAndNoneOfItsRuns) {
  add_gate("20261121T000000Z-aaaaaa", "2026-11-21T00:00:00Z", record::RunStatus::finished);
  add_gate("20261122T000000Z-bbbbbb", "2026-11-22T00:00:00Z", record::RunStatus::finished);
  add_gate("20261123T000000Z-cccccc", "2026-11-23T00:00:00Z", record::RunStatus::interrupted);
  add_gate("20261124T000000Z-dddddd", "2026-11-24T00:00:00Z", record::RunStatus::finished, false);
  const fs::path document = results_folder / "report" / "report.json";
  ASSERT_EQ(ridgeline({}), 0);
  EXPECT_EQ(ids_in(document, "gates"), (std::vector<std::string>{"20261122T000000Z-bbbbbb"}));
  EXPECT_EQ(runs_in(document), (std::vector<std::string>{"20261120T124501Z-aaaaaa"}));
  ASSERT_EQ(ridgeline({"--gate", "20261121"}), 0);
  EXPECT_EQ(ids_in(document, "gates"), (std::vector<std::string>{"20261121T000000Z-aaaaaa"}));
  EXPECT_EQ(ridgeline({"--gate", "2031"}), 64);
}

TEST_F(Report, ShowsAGateWhereThereIsNoOtherRun) {
  fs::remove_all(results_folder);
  add_gate("20261121T000000Z-aaaaaa", "2026-11-21T00:00:00Z", record::RunStatus::finished);
  ASSERT_EQ(ridgeline({}), 0);
  EXPECT_TRUE(runs_in(results_folder / "report" / "report.json").empty());
}

TEST_F(Report, ShowsGatesOfTheModelThatIsAskedForAlone) {
  add_gate("20261121T000000Z-aaaaaa", "2026-11-21T00:00:00Z", record::RunStatus::finished);
  add_run("20261122T000000Z-bbbbbb", "2026-11-22T00:00:00Z", record::RunStatus::finished,
          "synthetic-other");
  const fs::path document = results_folder / "report" / "report.json";
  ASSERT_EQ(ridgeline({"synthetic-other"}), 0);
  EXPECT_TRUE(ids_in(document, "gates").empty());
  ASSERT_EQ(ridgeline({"synthetic-gpu@latest"}), 0);
  EXPECT_EQ(ids_in(document, "gates"), (std::vector<std::string>{"20261121T000000Z-aaaaaa"}));
}

TEST_F(Report, TakesTheRunThatIsNamed) {
  add_run("20261121T000000Z-bbbbbb", "2026-11-21T00:00:00Z", record::RunStatus::finished);
  ASSERT_EQ(ridgeline({"20261120"}), 0);
  EXPECT_EQ(runs_in(results_folder / "report" / "report.json"),
            (std::vector<std::string>{"20261120T124501Z-aaaaaa"}));
  EXPECT_EQ(ridgeline({"2031"}), 64);
}

TEST_F(Report, DrawsNightsFromTheThirdOn) {
  add_run("20261121T000000Z-bbbbbb", "2026-11-21T00:00:00Z", record::RunStatus::finished);
  ASSERT_EQ(ridgeline({}), 0);
  EXPECT_TRUE(document().at("trends").empty());
  add_run("20261122T000000Z-cccccc", "2026-11-22T00:00:00Z", record::RunStatus::finished);
  ASSERT_EQ(ridgeline({}), 0);
  const auto trends = document().at("trends");
  ASSERT_EQ(trends.size(), 1u);
  EXPECT_EQ(trends[0].at("model"), "synthetic-gpu");
  EXPECT_EQ(trends[0].at("dates").size(), 3u);
  EXPECT_EQ(trends[0].at("series").size(), 1u);
  EXPECT_FALSE(trends[0].contains("file"));
  ASSERT_EQ(ridgeline({"--nights", "2"}), 0);
  EXPECT_EQ(document().at("trends")[0].at("dates").size(), 2u);
  ASSERT_EQ(ridgeline({"--nights", "0"}), 0);
  EXPECT_TRUE(document().at("trends").empty());
  EXPECT_EQ(ridgeline({"--nights", "-1"}), 64);
}

TEST_F(Report, DrawsTheNightsOfTheRunThatIsNamed) {
  for (const char* model : {"synthetic-gpu", "synthetic-other"})
    for (const char* day : {"21", "22", "23"})
      add_run(std::string("202611") + day + "T000000Z-" + model,
              std::string("2026-11-") + day + "T00:00:00Z", record::RunStatus::finished, model);
  ASSERT_EQ(ridgeline({}), 0);
  EXPECT_EQ(document().at("trends").size(), 2u);
  ASSERT_EQ(ridgeline({"synthetic-other"}), 0);
  ASSERT_EQ(document().at("trends").size(), 1u);
  EXPECT_EQ(document().at("trends")[0].at("model"), "synthetic-other");
}

TEST_F(Report, ComparesTheOnlyTwoModelsOrTheTwoRunsThatAreNamed) {
  ASSERT_EQ(ridgeline({}), 0);
  EXPECT_TRUE(document().at("comparisons").empty());
  add_run("20261121T000000Z-bbbbbb", "2026-11-21T00:00:00Z", record::RunStatus::finished,
          "synthetic-other");
  ASSERT_EQ(ridgeline({}), 0);
  auto comparisons = document().at("comparisons");
  ASSERT_EQ(comparisons.size(), 1u);
  EXPECT_EQ(comparisons[0].at("gives"), "times");
  EXPECT_EQ(comparisons[0].at("a").at("model"), "synthetic-gpu");
  EXPECT_EQ(comparisons[0].at("b").at("model"), "synthetic-other");
  EXPECT_FALSE(comparisons[0].at("a").contains("file"));
  EXPECT_EQ(comparisons[0].at("cases")[0].at("suite"), "gemm");
  EXPECT_TRUE(comparisons[0].at("cases")[0].at("a").contains("flops"));
  add_run("20261122T000000Z-cccccc", "2026-11-22T00:00:00Z", record::RunStatus::finished,
          "synthetic-third");
  ASSERT_EQ(ridgeline({}), 0);
  EXPECT_TRUE(document().at("comparisons").empty()) << "which two of three?";
  ASSERT_EQ(ridgeline({"--compare", "synthetic-third", "20261120"}), 0);
  comparisons = document().at("comparisons");
  ASSERT_EQ(comparisons.size(), 1u);
  EXPECT_EQ(comparisons[0].at("a").at("id"), "20261122T000000Z-cccccc");
  EXPECT_EQ(comparisons[0].at("b").at("id"), "20261120T124501Z-aaaaaa");
  EXPECT_EQ(ridgeline({"--compare", "latest", "latest"}), 64) << "a run with itself";
  testing::internal::CaptureStderr();
  EXPECT_EQ(ridgeline({"--compare", "latest"}), 64);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("--compare"), std::string::npos);
}

TEST_F(Report, HasWhatCasesCameToInAllRunsOfTheDevicesThatAreMeant) {
  add_run("20261121T000000Z-bbbbbb", "2026-11-21T00:00:00Z", record::RunStatus::finished);
  add_run("20261122T000000Z-cccccc", "2026-11-22T00:00:00Z", std::nullopt);
  add_run("20261122T000000Z-dddddd", "2026-11-22T00:00:00Z", record::RunStatus::finished,
          "synthetic-other");
  add_gate("20261123T000000Z-aaaaaa", "2026-11-23T00:00:00Z", record::RunStatus::finished);
  ASSERT_EQ(ridgeline({}), 0);
  const nlohmann::json both = document();
  EXPECT_EQ(both.at("version"), 12);
  ASSERT_EQ(both.at("histories").size(), 2u);
  const nlohmann::json& first = both.at("histories")[0];
  ASSERT_EQ(first.at("runs").size(), 3u) << "without those of the gate";
  EXPECT_EQ(first.at("runs")[2].at("status"), "killed");
  const nlohmann::json& only = first.at("cases").at(0);
  EXPECT_EQ(only.at("median_ns"), nlohmann::json(std::vector{110, 110, 110}));
  EXPECT_EQ(only.at("samples").at("runs").size(), 3u);
  EXPECT_EQ(only.at("latest").at("run"), 2);
  EXPECT_TRUE(only.at("latest").contains("case")) << "the report shows the last finished run";
  EXPECT_FALSE(both.at("histories")[1].at("cases").at(0).at("latest").contains("case"));
  ASSERT_EQ(ridgeline({"synthetic-other"}), 0);
  ASSERT_EQ(document().at("histories").size(), 1u);
  EXPECT_EQ(document().at("histories")[0].at("device").at("model"), "synthetic-other");
}

TEST_F(Report, IsSaidToPrograms) {
  testing::internal::CaptureStdout();
  const int code = ridgeline({"--json"});
  const nlohmann::json said = nlohmann::json::parse(testing::internal::GetCapturedStdout());
  EXPECT_EQ(code, 0);
  EXPECT_EQ(said.at("ridgeline_json"), 2);
  EXPECT_EQ(said.at("data"), (results_folder / "report" / "report.json").string());
}

TEST_F(Report, SaysWhatIsMissingAndWhatCannotBeWritten) {
  python("exit 69");
  EXPECT_EQ(ridgeline({}), 69) << "a Python without matplotlib";
  python("[ \"$1\" = -c ] && exit 42; exit 1");
  EXPECT_EQ(ridgeline({}), 70) << "a defect in reports";
  python("exit 1");
  EXPECT_EQ(ridgeline({}), 69) << "no Python, though it starts";
  python("kill -9 $$");
  EXPECT_EQ(ridgeline({}), 70) << "killed";
  setenv("RIDGELINE_PYTHON", (folder / "absent").c_str(), 1);
  EXPECT_EQ(ridgeline({}), 69) << "no Python";
  std::ofstream(folder / "file") << "in the way";
  EXPECT_EQ(ridgeline({"--output", (folder / "file").string()}), 74);
  EXPECT_EQ(ridgeline({"--results", (folder / "nowhere").string()}), 74);
}

}  // namespace report_test
}  // namespace ridgeline::cli
