// `ridgeline ladder` over stored runs, as a user calls it. All times are made up.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/cli/said.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/read_runs.hpp"
#include "harness/store/temporary_folder.hpp"
#include "harness/store/write_run.hpp"

namespace ridgeline::cli {
namespace ladder_test {

namespace examples = store::examples;
using nlohmann::json;
using record::Direction;
using record::Outcome;

constexpr const char* ladders = R"([[note]]
cases = ["gemm/*/f32/m=64,*"]
text = "A and B | are *dense*."

[[ladder]]
title = "Products | f32"
device = "fake"
cases = "gemm/*/f32/m=64,n=64,k=64"
rungs = ["naive", "tiled", "gone", "best"]
references = ["vendor", "other_vendor"]

[[ladder]]
title = "Wider products"
device = "fake"
cases = "gemm/*/f32/m=512,n=512,k=512"
rungs = ["naive", "gemm/naive/f32/m=64,n=64,k=64"]

[[ladder]]
title = "Copies"
device = "fake"
cases = "copy/*/f32/elements=8"
rungs = ["naive"]

[[ladder]]
title = "On a CPU"
device = "cpu"
cases = "gemm/*/f32/m=64,n=64,k=64"
rungs = ["naive"]
)";

/// A home with these ladders, and results of a model.
class LadderCommand : public testing::Test {
 protected:
  LadderCommand() {
    std::filesystem::create_directories(folder / "suites" / "profiles");
    std::ofstream(folder / "suites" / "ladders.toml") << ladders;
    std::filesystem::create_directories(results());
    setenv("RIDGELINE_HOME", folder.path().c_str(), 1);
    setenv("RIDGELINE_LOCKS", folder.path().c_str(), 1);
  }
  ~LadderCommand() override {
    unsetenv("RIDGELINE_HOME");
    unsetenv("RIDGELINE_LOCKS");
  }

  std::filesystem::path results() const { return folder / "results"; }

  static void add(store::Store& store, std::int64_t process, const std::string& variant, double ns,
                  int n = 64) {
    record::Case info = examples::gemm_case(variant, n);
    info.idea = "what " + variant + " does";
    record::Measurement measured = examples::measurement(info, {ns - 1, ns, ns + 1});
    measured.telemetry.power_w = 400 + ns / 1e3;
    if (variant == "best")
      measured.metrics = {{"energy", 5e-4, "J", Direction::lower},
                          {"flops_per_joule", 524288 / 5e-4, "FLOP/J", Direction::higher},
                          {"sustained_time", 1250, "ns", Direction::lower},
                          {"sustained_power", 400, "W", Direction::none},
                          {"sustained_sm_clock", 1500, "MHz", Direction::none},
                          {"hardware_dram_read_bytes", 90e3, "B", Direction::lower},
                          {"hardware_dram_written_bytes", 10e3, "B", Direction::lower},
                          {"hardware_l2_bytes", 4e5, "B", Direction::lower},
                          {"hardware_flops", 6e5, "FLOP", Direction::none},
                          {"hardware_warp_instructions", 12345, "1", Direction::lower}};
    store::add(store, process, info, measured);
  }

  /// All rungs but one, of which one is unsupported, or only the first.
  void add_run(const std::string& id, const std::string& started, bool all) const {
    const std::filesystem::path file = results() / "synthetic-gpu.sqlite";
    store::Store store = store::Store::create(file);
    record::Device device = examples::device();
    device.recorded = {{"driver", "999.1"}};
    store::begin(store, examples::run(id, started), device, examples::environment());
    store::add(store, id, {"fma.f32", 1e12, "FLOP/s", "measured"});
    store::add(store, id, {"dram.copy", 1e12, "B/s", "measured"});
    for (int i = 0; i < 3; ++i) {
      const std::int64_t process = store::add(store, examples::process(i, id));
      add(store, process, "naive", 4000 + 10 * i);
      if (!all) continue;
      add(store, process, "naive", 900'000 + 1000 * i, 512);
      add(store, process, "tiled", 2000 + 10 * i);
      add(store, process, "best", 1000 + 10 * i);
      add(store, process, "vendor", 1100 + 10 * i);
      const record::Case other = examples::gemm_case("other_vendor");
      store::add(store, process, other,
                 examples::failed(other, Outcome::unavailable, "no library"));
    }
    store::finish(store, id, record::RunStatus::finished, "2026-11-21T12:46:00Z");
  }

  Said ridgeline(std::vector<std::string> words) const {
    words.insert(words.begin(), "ridgeline");
    words.insert(words.end(), {"--results", results().string()});
    return said_to(words);
  }

  store::TemporaryFolder folder;
};

void expect_golden_file(const std::string& name, const std::string& text) {
  const std::string file = std::string(RIDGELINE_CLI_FOLDER) + "/golden/" + name;
  if (std::getenv("RIDGELINE_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << text;
  std::ifstream stream(file);
  EXPECT_EQ(text, std::string(std::istreambuf_iterator<char>(stream), {})) << file;
}

TEST_F(LadderCommand, TellsEachLadderFromTheRunThatMeasuredMostOfIt) {
  add_run("20261120T100000Z-aaaa", "2026-11-20T10:00:00Z", true);
  add_run("20261121T100000Z-bbbb", "2026-11-21T10:00:00Z", false);
  const Said page = ridgeline({"ladder", "--markdown"});
  EXPECT_EQ(page.code, 0) << page.err;
  expect_golden_file("ladder.md", page.out);
  const Said text = ridgeline({"ladder"});
  EXPECT_EQ(text.code, 0) << text.err;
  expect_golden_file("ladder.txt", text.out);
}

TEST_F(LadderCommand, TheSummaryHasTheLastRungs) {
  add_run("20261120T100000Z-aaaa", "2026-11-20T10:00:00Z", true);
  EXPECT_EQ(
      ridgeline({"ladder", "--summary", "--markdown"}).out,
      "| ladder | last rung | rate | speed | of roof |\n"
      "|---|---|---:|---:|---:|\n"
      "| Products \\| f32 | `best` | 519 GFLOP/s | 1.10 (1.08 to 1.12) of `vendor` | 51.9% |\n"
      "| Wider products | `naive m=64 n=64 k=64` | 131 GFLOP/s |  | 13.1% |\n"
      "\n"
      "Synthetic GPU, driver 999.1: 2026-11-20, profile quick, 3 processes for each case, "
      "commit abc123 with local changes.\n");
}

TEST_F(LadderCommand, TheSummaryHasTheLastRungWithinReachAlsoWhereItFailed) {
  store::Store store = store::Store::create(results() / "synthetic-gpu.sqlite");
  const std::string id = "20261120T100000Z-aaaa";
  store::begin(store, examples::run(id), examples::device(), examples::environment());
  const std::int64_t process = store::add(store, examples::process(0, id));
  add(store, process, "naive", 4000);
  const auto summary = [&] { return ridgeline({"ladder", "--summary", "--markdown"}).out; };
  const auto fail = [&](const char* variant, Outcome outcome, const char* reason) {
    const record::Case info = examples::gemm_case(variant);
    store::add(store, process, info, examples::failed(info, outcome, reason));
  };
  const auto tells_products = [&] { return summary().find("| Products") != std::string::npos; };
  EXPECT_FALSE(tells_products()) << "an earlier rung stands for the last one";
  fail("best", Outcome::unsupported, "for other GPUs");
  EXPECT_FALSE(tells_products()) << "the run does not have the rung before it";
  fail("gone", Outcome::unavailable, "no library");
  fail("tiled", Outcome::wrong_result, "the output differed");
  EXPECT_NE(summary().find("| Products \\| f32 | `tiled` | wrong\\_result: the output differed |"),
            std::string::npos)
      << summary();
}

TEST_F(LadderCommand, ARunThatIsNamedStandsAlone) {
  add_run("20261120T100000Z-aaaa", "2026-11-20T10:00:00Z", true);
  add_run("20261121T100000Z-bbbb", "2026-11-21T10:00:00Z", false);
  const json said = json::parse(ridgeline({"ladder", "latest", "--json"}).out);
  ASSERT_EQ(said["models"].size(), 1u);
  const json& run = said["models"][0]["runs"][0];
  EXPECT_EQ(run["run"], "20261121T100000Z-bbbb");
  const json& rungs = run["ladders"][0]["rungs"];
  EXPECT_EQ(rungs[0]["median_ns"], 4010);
  EXPECT_FALSE(rungs[1].contains("median_ns")) << "the other run's";
  EXPECT_EQ(said["models"][0]["unmeasured"], json({"Copies"}));
  const json all = json::parse(ridgeline({"ladder", "20261120T100000Z-aaaa", "--json"}).out);
  const json& best = all["models"][0]["runs"][0]["ladders"][0]["rungs"][3];
  EXPECT_EQ(best["sustained_time"], 1250);
  EXPECT_EQ(best["sustained_power"], 400);
  EXPECT_EQ(best["sustained_sm_clock"], 1500);
  EXPECT_EQ(best["energy"], 5e-4);
}

TEST_F(LadderCommand, WithoutAnyTimeThereIsNothingToShow) {
  store::Store store = store::Store::create(results() / "synthetic-gpu.sqlite");
  const std::string id = "20261120T100000Z-aaaa";
  store::begin(store, examples::run(id), examples::device(), examples::environment());
  const Said said = ridgeline({"ladder"});
  EXPECT_EQ(said.code, 3);
  EXPECT_EQ(said.out, "");
  EXPECT_EQ(said.err,
            "ridgeline: no stored run has a time of any rung; ridgeline run --profile ladders "
            "takes them\n");
}

}  // namespace ladder_test
}  // namespace ridgeline::cli
