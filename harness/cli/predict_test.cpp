// Bounds of counted cases, as a user asks for them. All counts and times are made up.

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
namespace predict_test {

namespace examples = store::examples;
using nlohmann::json;
using record::Direction;
using record::Outcome;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

record::Device counting_device(const std::string& architecture) {
  record::Device device = examples::counting_device();
  device.id = "emulated:" + architecture;
  return device;
}

/// Counts that need 1 us of an H200's DRAM for each `dram_us`, and 1 us of its shared memory for
/// each `shared_us`.
record::Measurement counts(const record::Case& info, double dram_us, double shared_us,
                           double tensor = 0) {
  record::Measurement m = examples::counted(info);
  m.flops = info.flops;
  m.metrics = {{"dram_read_bytes", 0.75 * dram_us * 4.814e6, "B", Direction::lower},
               {"dram_written_bytes", 0.25 * dram_us * 4.814e6, "B", Direction::lower},
               {"global_store_sectors", 1e6, "1", Direction::lower},
               {"shared_load_wavefronts", shared_us * 66.9e6 / 256, "1", Direction::lower},
               {"tensor_instructions", tensor, "1", Direction::none}};
  return m;
}

/// Two emulated architectures in one file, and a GPU in another.
class Predict : public testing::Test {
 protected:
  Predict() {
    store::Store counted = store::Store::create(folder / "synthetic-gpu.sqlite");
    add_counts(counted, "20261120T100000Z-aaaa", "sm_90", 20);
    add_counts(counted, "20261121T100000Z-bbbb", "sm_90", 10);
    add_counts(counted, "20261119T100000Z-cccc", "sm_80", 10);
  }

  static std::int64_t begin(store::Store& store, const std::string& id,
                            const record::Device& device) {
    record::Run run = examples::run(id, "2026-11-21T10:00:00Z");
    run.device_uuid = device.uuid;
    store::begin(store, run, device, examples::environment());
    return store::add(store, examples::process(0, id));
  }

  static void add_counts(store::Store& store, const std::string& id,
                         const std::string& architecture, double us) {
    const std::int64_t process = begin(store, id, counting_device(architecture));
    const record::Case naive = examples::gemm_case("naive", 512),
                       tiled = examples::gemm_case("tiled", 512),
                       wmma = examples::gemm_case("wmma", 512),
                       bad = examples::gemm_case("bad", 512);
    store::add(store, process, naive, counts(naive, us, 0));
    store::add(store, process, tiled, counts(tiled, us, 2.5 * us));
    store::add(store, process, wmma, counts(wmma, us / 5, us / 2, 1));
    store::add(store, process, bad, examples::failed(bad, Outcome::unsupported, "wgmma"));
  }

  void measure(double llc = 0) {
    record::Device device = examples::device();
    device.model = "synthetic-h200";
    device.pci_id = "2335";
    device.kind = DeviceKind::cuda;
    device.id = "cuda:0";
    store::Store store = store::Store::create(folder / "synthetic-h200.sqlite");
    const std::string id = "20261121T120000Z-dddd";
    const std::int64_t process = begin(store, id, device);
    if (llc > 0) store::add(store, id, {"llc.read", llc, "B/s", "measured"});
    store::add(store, id, {"dram", 1e12, "B/s", "a datasheet"});
    const record::Case naive = examples::gemm_case("naive", 512),
                       tiled = examples::gemm_case("tiled", 512);
    store::add(store, process, naive, examples::measurement(naive, {99e3, 100e3, 101e3}));
    store::add(store, process, tiled, examples::measurement(tiled, {19e3, 20e3, 21e3}));
    const record::Case smaller = examples::gemm_case("wmma", 256);
    store::add(store, process, smaller, examples::measurement(smaller));
  }

  Said ridgeline(std::vector<std::string> words) const {
    words.insert(words.begin(), "ridgeline");
    words.insert(words.end(), {"--results", folder.path().string()});
    return said_to(words);
  }

  store::TemporaryFolder folder;
};

TEST_F(Predict, BoundsEachCaseAndFlagsATimeBelow) {
  measure();
  const Said said = ridgeline({"predict", "gemm", "--on", "h200"});
  EXPECT_EQ(said.code, 0) << said.err;
  const std::string file = std::string(RIDGELINE_CLI_FOLDER) + "/golden/predict.txt";
  if (std::getenv("RIDGELINE_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << said.out;
  std::ifstream stream(file);
  EXPECT_EQ(said.out, (std::string{std::istreambuf_iterator<char>(stream), {}}));
}

TEST_F(Predict, MarkdownHasATableOfEachDevice) {
  measure();
  const Said said = ridgeline({"predict", "gemm", "--on", "a100,h200", "--markdown"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "### A100 SXM4 80 GB\n")) << said.out;
  EXPECT_TRUE(contains(said.out,
                       "| `gemm/tiled/f32/m=512,n=512,k=512` | 25.0 us | shared memory 25.0 us, "
                       "DRAM 10.0 us, CUDA cores 4.01 us | 10.7 TFLOP/s | 20.0 us | 0.8 !! |\n"))
      << said.out;
  EXPECT_TRUE(
      contains(said.out, "\nNot counted (unsupported: wgmma): `gemm/bad/f32/m=512,n=512,k=512`.\n"))
      << said.out;
  EXPECT_EQ(ridgeline({"predict", "--on", "h200", "--markdown", "--json"}).code, 64);
}

TEST_F(Predict, TakesL2WhereRoofsHaveMeasuredIt) {
  measure(1e12);
  const json device =
      json::parse(ridgeline({"predict", "gemm/naive", "--on", "h200", "--json"}).out)["devices"][0];
  EXPECT_EQ(device["l2"]["run"], "20261121T120000Z-dddd");
  const json one = device["cases"][0];
  EXPECT_EQ(one["set_by"], "L2");
  // 1e6 sectors of 32 B, and three quarters of 48.14 MB, at 1 TB/s.
  EXPECT_NEAR(one["bound_ns"].get<double>(), 32e3 + 0.75 * 48.14e3, 0.1);
  EXPECT_TRUE(one["left_out"].empty());
}

TEST_F(Predict, SpeaksToPrograms) {
  measure();
  const json all = json::parse(ridgeline({"predict", "--on", "a100,h200", "--json"}).out);
  EXPECT_TRUE(contains(all["meaning"], "bounds, never forecasts"));
  ASSERT_EQ(all["devices"].size(), 2u);
  EXPECT_EQ(all["devices"][0]["device"], "a100-sxm4-80gb");
  EXPECT_EQ(all["devices"][0]["counted_by"], "emulated:sm_80");
  EXPECT_EQ(all["devices"][0]["cases"][0].count("measured"), 0u)
      << "what an H200 did says nothing of an A100";
  const json& h200 = all["devices"][1];
  ASSERT_EQ(h200["cases"].size(), 3u);
  EXPECT_EQ(h200["not_counted"],
            (json{{{"case", "gemm/bad/f32/m=512,n=512,k=512"}, {"why", "unsupported: wgmma"}}}));
  const json& tiled = h200["cases"][1];
  EXPECT_EQ(tiled["counted_run"], "20261121T100000Z-bbbb");
  EXPECT_EQ(tiled["set_by"], "shared memory");
  EXPECT_NEAR(tiled["bound_ns"].get<double>(), 25'000, 1);
  EXPECT_NEAR(tiled["measured"]["over_bound"].get<double>(), 0.8, 1e-3);
  EXPECT_EQ(tiled["measured"]["below_bound"], true);
  EXPECT_EQ(h200["cases"][0]["measured"]["below_bound"], false);
}

TEST_F(Predict, TakesTheCountsOfOneRun) {
  const Said said =
      ridgeline({"predict", "gemm/naive", "--on", "h200", "--run", "20261120", "--json"});
  const json one = json::parse(said.out)["devices"][0]["cases"][0];
  EXPECT_EQ(one["counted_run"], "20261120T100000Z-aaaa");
  EXPECT_NEAR(one["bound_ns"].get<double>(), 20'000, 0.1)
      << "the other run has counted half as many bytes";
  EXPECT_EQ(one["set_by"], "DRAM");
  // 2 x 512^3 FLOP at 66.9 TFLOP/s.
  EXPECT_NEAR(one["terms"][1]["ns"].get<double>(), 4'012.5, 0.1);
}

TEST_F(Predict, MistakesAreClearAndUseTheRightExitCode) {
  measure();
  const std::tuple<std::vector<std::string>, int, const char*, const char*> table[] = {
      {{"gemm", "--on", "h20"}, 64, "the catalogue has no device h20", "did you mean h200?"},
      {{"gemm", "--on", "b200"},
       64,
       "no emulated device runs the code of the B200 SXM",
       "emulated:sm_90 for 9.0"},
      {{"gemm"}, 64, "--on", ""},
      {{"gemm/naiv", "--on", "h100"},
       64,
       "what is counted by emulated:sm_90 has no case gemm/naiv",
       "ridgeline run --device emulated:sm_90 gemm/naiv counts it"},
      {{"gemm", "--on", "h100", "--run", "20261119"},
       64,
       "run 20261119T100000Z-cccc is of emulated:sm_80",
       "ridgeline run --device emulated:sm_90 gemm makes some"},
      {{"gemm", "--on", "h100", "--run", "20261121T12"}, 64, "is of cuda:0", ""},
      {{"gemm", "--on", "h100", "--run", "nothing"}, 64, "nothing", ""},
  };
  for (auto [words, code, failure, advice] : table) {
    words.insert(words.begin(), "predict");
    const Said said = ridgeline(words);
    EXPECT_EQ(said.code, code) << failure;
    EXPECT_TRUE(contains(said.err, failure)) << said.err;
    EXPECT_TRUE(contains(said.err, advice)) << said.err;
    EXPECT_EQ(said.out, "");
  }
  std::filesystem::remove(folder / "synthetic-gpu.sqlite");
  const Said said = ridgeline({"predict", "gemm", "--on", "h100"});
  EXPECT_EQ(said.code, 69);
  EXPECT_TRUE(contains(said.err, "no run on emulated:sm_90 is stored")) << said.err;
  EXPECT_TRUE(contains(said.err, "ridgeline run --device emulated:sm_90 gemm makes one"))
      << said.err;
}

}  // namespace predict_test
}  // namespace ridgeline::cli
