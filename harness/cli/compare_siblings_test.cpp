// `ridgeline compare` of GPUs that one `ridgeline run --device all` measured.

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/cli/said.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/temporary_folder.hpp"
#include "harness/store/write_run.hpp"

namespace ridgeline::cli {
namespace compare_siblings_test {

namespace examples = store::examples;
using nlohmann::json;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A GPU's run; all its cases take `factor` times as long as another's.
struct Gpu {
  int number = 0;  // of the UUID
  std::string id;  // "cuda:0"
  double factor = 1;
  double clock = 1980;
};

class CompareSiblings : public testing::Test {
 protected:
  CompareSiblings() { setenv("RIDGELINE_LOCKS", folder.path().c_str(), 1); }
  ~CompareSiblings() override { unsetenv("RIDGELINE_LOCKS"); }

  /// What one `run --device all` measures: a run of each, at `hour` o'clock. Ids are "<label>-<id
  /// of the GPU>".
  void add_together(const std::string& label, int hour, const std::vector<Gpu>& gpus) {
    for (const Gpu& gpu : gpus) {
      store::Store store = store::Store::create(folder / "synthetic-gpu.sqlite");
      record::Device device = examples::device();
      device.kind = DeviceKind::cuda;
      device.id = gpu.id;
      device.uuid = fmt::format("GPU-{}", gpu.number);
      record::Environment environment = examples::environment();
      environment.recorded = {{"host", "node1"}, {"pci_bus", fmt::format("{:02x}", gpu.number)}};
      record::Run run = examples::run(label + "-" + gpu.id.substr(5));
      run.device_uuid = device.uuid;
      run.label = label;
      run.started = fmt::format("2026-11-20T{}:00:0{}Z", hour, made_++ % 10);
      store::begin(store, run, device, environment);
      store::add(store, run.id, {"dram.copy", 1e12, "B/s", "measured"});
      for (int replicate = 0; replicate < 4; ++replicate) {
        const std::int64_t process = store::add(store, examples::process(replicate, run.id));
        for (int n = 1; n <= cases; ++n) {
          record::Case info = examples::gemm_case("copy", n);
          info.device_kind = DeviceKind::cuda;
          info.flops = 0;
          info.bytes = 1e6;
          // Noise of processes, 0.2% at most.
          const int noise = (replicate * 3 + gpu.number * 2) % 5 - 2;
          record::Measurement m = examples::measurement(
              info, {2000 * gpu.factor * (1 + 0.001 * static_cast<double>(noise))});
          m.telemetry.sm_clock_mhz = gpu.clock;
          store::add(store, process, info, m);
        }
      }
      store::finish(store, run.id, record::RunStatus::finished,
                    fmt::format("2026-11-20T{}:01:00Z", hour));
    }
  }

  Said ridgeline(std::vector<std::string> words) {
    words.insert(words.begin(), "ridgeline");
    words.insert(words.end(), {"--results", folder.path().string()});
    return said_to(words);
  }
  json compared(const std::string& a, const std::string& b) {
    const Said said = ridgeline({"compare", a, b, "--json"});
    EXPECT_EQ(said.code, 0) << said.err;
    return json::parse(said.out);
  }

  int cases = 5;
  store::TemporaryFolder folder;

 private:
  int made_ = 0;
};

std::map<std::string, int> causes(const json& all) {
  std::map<std::string, int> found;
  for (const json& one : all["cases"]) ++found[one["cause"].get<std::string>()];
  return found;
}

TEST_F(CompareSiblings, OfEqualGpusSayHowSmallADifferenceCanBe) {
  add_together("night", 10, {{0, "cuda:0"}, {1, "cuda:1", 0.999}, {2, "cuda:2"}});
  const Said said = ridgeline({"compare", "night-0", "night-1"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "A: Synthetic GPU (synthetic-gpu), cuda:0, run night-0 of"))
      << said.out;
  EXPECT_TRUE(contains(said.out,
                       "A and B are GPUs of node1, measured together:\n"
                       "no difference between cuda:0 and cuda:1 beyond "))
      << said.out;
  EXPECT_TRUE(contains(said.out, "ridgeline trend siblings sets all 3 GPUs beside each other"))
      << said.out;
  EXPECT_FALSE(contains(said.out, "hardware")) << "nor is the bus a difference\n" << said.out;
  EXPECT_EQ(causes(compared("night-0", "night-1")), (std::map<std::string, int>{{"none", 5}}));
}

TEST_F(CompareSiblings, OneIsNamedThatIsSlowerBeyondNoise) {
  add_together("night", 10, {{0, "cuda:0"}, {1, "cuda:1", 1.04}});
  const json all = compared("night-0", "night-1");
  EXPECT_EQ(all["siblings"]["host"], "node1");
  EXPECT_EQ(all["siblings"]["together"], 2);
  EXPECT_EQ(all["siblings"]["suites"][0]["devices"][1]["slower"], true);
  EXPECT_EQ(causes(all), (std::map<std::string, int>{{"unknown", 5}}))
      << "equal roofs do not explain 4%, which they are not trusted to";
  EXPECT_EQ(all["cases"][0]["because"], "cuda:1 is slower");
  const std::string said = all["conclusions"][2];
  EXPECT_TRUE(said.starts_with("cuda:1 is slower than cuda:0 by 3.9% (at least 3.")) << said;
  EXPECT_TRUE(said.ends_with(", over 5 cases")) << said;
  const json back = compared("night-1", "night-0");
  EXPECT_EQ(back["cases"][0]["because"], "cuda:1 is slower");
  EXPECT_EQ(back["conclusions"][2], said);
}

TEST_F(CompareSiblings, AClockThatExplainsItIsSaid) {
  add_together("night", 10, {{0, "cuda:0"}, {1, "cuda:1", 1.1, 1800}});
  const json all = compared("night-0", "night-1");
  EXPECT_EQ(causes(all), (std::map<std::string, int>{{"environment", 5}}));
  EXPECT_EQ(all["cases"][0]["because"], "cuda:1 is slower, at 91% of the other's clock");
}

TEST_F(CompareSiblings, OfTwoTimesAreMatchedByWhatTheGpuIs) {
  // The second GPU is slow on both days, the third became slower. Ids changed places between.
  add_together("before", 10, {{0, "cuda:0"}, {2, "cuda:2"}, {1, "cuda:1", 1.5}});
  add_together("after", 12, {{1, "cuda:0", 1.5}, {2, "cuda:2", 1.2}, {0, "cuda:1"}});
  const json all = compared("gpu@label:before", "gpu@label:after");
  EXPECT_EQ(all["a"]["device_uuid"], "GPU-1") << "whose run began last";
  EXPECT_EQ(all["b"]["device_uuid"], "GPU-1");
  EXPECT_EQ(all["b"]["id"], "after-0");
  EXPECT_FALSE(all.contains("siblings"));
  ASSERT_EQ(all["gpus"].size(), 3U);
  const double expected[] = {1, 1, 1.2};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(all["gpus"][i]["uuid"], fmt::format("GPU-{}", i));
    EXPECT_EQ(all["gpus"][i]["cases"], 5);
    EXPECT_NEAR(all["gpus"][i]["ratio"].get<double>(), expected[i], 0.01) << i;
  }
  const Said said = ridgeline({"compare", "gpu@label:before", "gpu@label:after"});
  EXPECT_TRUE(said.out.ends_with(
      "GPU by GPU, geometric means of B over A:\n"
      "GPU     cases  mean      95% interval  lowest  highest  A's run   B's run\n"
      "cuda:0      5  1.00     0.997 to 1.00    1.00     1.00  before-0  after-1\n"
      "cuda:1      5  1.00     0.998 to 1.00    1.00     1.00  before-1  after-0\n"
      "cuda:2      5  1.20  1.1965 to 1.2036    1.20     1.20  before-2  after-2\n"))
      << said.out;
}

TEST_F(CompareSiblings, ARunThatIsNamedIsTheOneThatIsCompared) {
  add_together("before", 10, {{0, "cuda:0"}, {1, "cuda:1"}});
  add_together("after", 12, {{0, "cuda:0"}, {1, "cuda:1", 1.2}});
  const json named = compared("before-0", "after-1");
  EXPECT_EQ(named["b"]["id"], "after-1");
  EXPECT_EQ(named["differences"][0], "device: cuda:0 (GPU-0) -> cuda:1 (GPU-1)");
  EXPECT_EQ(compared("before-0", "gpu@label:after")["b"]["id"], "after-0");
  EXPECT_EQ(compared("gpu@label:before", "after-0")["a"]["id"], "before-0");
  EXPECT_EQ(compared("before-0", "before-1")["siblings"]["together"], 2);
}

}  // namespace compare_siblings_test
}  // namespace ridgeline::cli
