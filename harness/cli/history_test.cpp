// `ridgeline history` and `ridgeline report --text` over stored runs, as a user calls them. All
// times are made up.

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/cli/said.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/temporary_folder.hpp"
#include "harness/store/write_run.hpp"

namespace ridgeline::cli {
namespace history_test {

namespace examples = store::examples;
using nlohmann::json;
using record::Outcome;

/// How a run differs from others.
struct Also {
  std::string driver = "580", uuid = "GPU-0000", unfit{};
  Outcome outcome = Outcome::ok;
};

class History : public testing::Test {
 protected:
  History() {
    std::filesystem::create_directories(folder.path());
    setenv("RIDGELINE_LOCKS", folder.path().c_str(), 1);
    setenv("LC_ALL", "C", 1);
  }
  ~History() override {
    unsetenv("RIDGELINE_LOCKS");
    unsetenv("LC_ALL");
  }

  /// A run of three processes; of a failure, without times.
  void add_run(int day, double ns, const Also& also = {}) const {
    const std::string when = "202611" + std::to_string(day) + "T100000Z",
                      iso = "2026-11-" + std::to_string(day) + "T10:00:00Z";
    store::Store store = store::Store::create(folder / "synthetic-gpu.sqlite");
    record::Device device = examples::device();
    device.uuid = also.uuid;
    record::Environment environment = examples::environment();
    environment.comparable["driver_branch"] = also.driver;
    environment.hash = "e" + also.driver;
    record::Run run = examples::run(when + "-" + also.uuid.substr(4), iso);
    run.device_uuid = also.uuid;
    run.unfit = also.unfit;
    store::begin(store, run, device, environment);
    store::add(store, run.id, {"fma.f32", 1e12, "FLOP/s", "measured"});
    store::add(store, run.id, {"dram.copy", 1e11, "B/s", "measured"});
    for (int i = 0; i < 3; ++i) {
      const std::int64_t process = store::add(store, examples::process(i, run.id));
      for (const char* variant : {"naive", "tiled"}) {
        const record::Case info = examples::gemm_case(variant);
        const double each = ns * (variant[0] == 'n' ? 1 : 0.5) + i;
        const bool fails = also.outcome != Outcome::ok;
        store::add(store, process, info,
                   fails ? examples::failed(info, also.outcome, "a reason")
                         : examples::measurement(info, {each - 1, each, each + 1}));
      }
    }
    store::finish(store, run.id, record::RunStatus::finished, iso);
  }

  Said ridgeline(std::vector<std::string> words) const {
    words.insert(words.begin(), "ridgeline");
    words.insert(words.end(), {"--results", folder.path().string()});
    return said_to(words);
  }

  store::TemporaryFolder folder;
};

void expect_file(const std::string& name, const std::string& text) {
  const std::string file = std::string(RIDGELINE_CLI_FOLDER) + "/golden/" + name;
  if (std::getenv("RIDGELINE_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << text;
  std::ifstream stream(file);
  EXPECT_EQ(text, std::string(std::istreambuf_iterator<char>(stream), {})) << file;
}

TEST_F(History, TellsValuesEnvironmentsAndFailures) {
  add_run(20, 1000);
  add_run(21, 1030);
  add_run(22, 0, {.outcome = Outcome::crashed});
  add_run(23, 2000, {.driver = "590"});
  add_run(24, 1900, {.driver = "590", .unfit = "others computed"});
  const Said told = ridgeline({"history", "gemm/naive"});
  EXPECT_EQ(told.code, 0) << told.err;
  expect_file("history.txt", told.out);
}

TEST_F(History, HasADeviceEachAndTheNewestRuns) {
  for (int day = 10; day < 15; ++day) add_run(day, 1000 + day);
  add_run(15, 3000, {.uuid = "GPU-1111"});
  const json told = json::parse(ridgeline({"history", "gemm/*", "--limit", "2", "--json"}).out);
  ASSERT_EQ(told["cases"].size(), 4u) << "two cases on two devices";
  const json& first = told["cases"][0];
  EXPECT_EQ(first["device_uuid"], "GPU-0000");
  EXPECT_EQ(first["older"], 3);
  ASSERT_EQ(first["runs"].size(), 2u);
  EXPECT_EQ(first["runs"][0]["started"], "2026-11-13T10:00:00Z");
  EXPECT_EQ(first["runs"][1]["value"], 1015);
  EXPECT_EQ(first["runs"][1]["unit"], "ns");
  EXPECT_EQ(first["runs"][1]["processes"], 3);
  EXPECT_EQ(first["runs"][1]["interval"].size(), 2u);
  EXPECT_EQ(first["environments"]["A"]["driver_branch"], "580");
  const json other =
      json::parse(ridgeline({"history", "gemm/naive", "--device", "GPU-1111", "--json"}).out);
  ASSERT_EQ(other["cases"].size(), 1u);
  EXPECT_EQ(other["cases"][0]["runs"].size(), 1u);
}

TEST_F(History, SaysWhatItDoesNotFind) {
  add_run(20, 1000);
  const Said wrong = ridgeline({"history", "gemm/naiv"});
  EXPECT_EQ(wrong.code, 64);
  EXPECT_NE(wrong.err.find("has no case gemm/naiv"), std::string::npos) << wrong.err;
  const Said elsewhere = ridgeline({"history", "gemm/naive", "--device", "h100"});
  EXPECT_EQ(elsewhere.code, 64);
  EXPECT_NE(elsewhere.err.find("synthetic-gpu"), std::string::npos) << elsewhere.err;
  EXPECT_EQ(ridgeline({"history"}).code, 64);
}

TEST_F(History, AReportIsPrintedAndNothingIsWritten) {
  add_run(20, 1000);
  const Said told = ridgeline({"report", "--text"});
  EXPECT_EQ(told.code, 0) << told.err;
  expect_file("report.txt", told.out);
  EXPECT_FALSE(std::filesystem::exists(folder / "report"));
  EXPECT_EQ(told.out.find('\x1b'), std::string::npos);
  EXPECT_EQ(ridgeline({"report", "--text", "--json"}).code, 64);
  setenv("LC_ALL", "C.UTF-8", 1);
  EXPECT_NE(ridgeline({"report", "--text"}).out.find("\xE2\xA0"), std::string::npos) << "braille";
}

}  // namespace history_test
}  // namespace ridgeline::cli
