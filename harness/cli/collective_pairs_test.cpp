// `ridgeline collectives pairs` over stored runs, as a user calls it. All times are made up.

#include <cmath>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/cli/said.hpp"
#include "harness/present/peer_pairs.hpp"
#include "harness/present/run_reader.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/files_fixture.hpp"
#include "harness/store/temporary_folder.hpp"
#include "harness/store/write_run.hpp"

namespace ridgeline::cli {
namespace collective_pairs_test {

namespace examples = store::examples;
using nlohmann::json;

/// Of one GPU of a host.
struct PlayedRun {
  int gpu = 0, gpus = 2, processes = 3;
  std::string id = "20261120T100000Z-aaaaaa", host = "node1";
  double roof = 0;
  int slow_peer = -1;  // whose copies take 10% longer
  double rate = 100e9;
  std::uint64_t seed = 1;
  std::string started = "2026-11-20T10:00:00Z";
};

class Pairs : public testing::Test {
 protected:
  void add(const PlayedRun& played) const {
    store::Store store = store::Store::create(folder / "synthetic-gpu.sqlite");
    record::Device device = examples::device();
    device.kind = DeviceKind::cuda;
    device.id = fmt::format("cuda:{}", played.gpu);
    device.uuid = fmt::format("GPU-{}-{}", played.host, played.gpu);
    record::Environment environment = examples::environment();
    environment.recorded["host"] = played.host;
    std::string peers;
    for (int distance = 1; distance < played.gpus; ++distance)
      peers +=
          fmt::format("{}cuda:{}", distance == 1 ? "" : " ", (played.gpu + distance) % played.gpus);
    environment.recorded["peers"] = peers;
    record::Run run = examples::run(played.id);
    run.device_uuid = device.uuid;
    run.seed = played.seed;
    run.started = played.started;
    store::begin(store, run, device, environment);
    for (int replicate = 0; replicate < played.processes; ++replicate) {
      const std::int64_t process = store::add(store, examples::process(replicate, run.id));
      for (int distance = 1; distance < played.gpus; ++distance)
        for (const char* direction : {"to_peer", "both_ways"})
          for (const double elements : {1024.0, 268435456.0}) {
            record::Case info;
            info.id = {"peers",
                       "copy_engine",
                       "f32",
                       {{"peer", std::to_string(distance)},
                        {"direction", direction},
                        {"elements", fmt::format("{:.0f}", elements)}},
                       {{"launch", "single"}}};
            info.device_kind = DeviceKind::cuda;
            const bool both = direction == std::string("both_ways");
            info.bytes = (both ? 8 : 4) * elements;
            const bool slow = (played.gpu + distance) % played.gpus == played.slow_peer;
            const double ns = *info.bytes / played.rate * 1e9 / (both ? 2 : 1) * (slow ? 1.1 : 1) *
                              (1 + 0.001 * replicate + 0.0002 * played.gpu * (replicate % 2));
            store::add(store, process, info, examples::measurement(info, {ns, ns, ns}));
          }
    }
    if (played.roof > 0) {
      store::add(store, run.id, {"link.to_peer", played.roof, "B/s", "NVLink 5 x 25 MB/s"});
      store::add(store, run.id, {"link.both_ways", 2 * played.roof, "B/s", "NVLink 5 x 25 MB/s"});
    }
    store::finish(store, run.id, record::RunStatus::finished, run.started);
  }

  /// As a report has them.
  present::PairMatrices pairs_of(const std::string& id, const store::LeftOut& left_out) const {
    present::RunReader reader(store::all_runs(folder.path(), left_out), {});
    const store::FoundRun& found = *reader.find(id);
    return present::find_pairs(found, reader.read(found), reader.all(), left_out);
  }
  Said pairs(std::vector<std::string> words = {}) const {
    words.insert(words.begin(), {"ridgeline", "collectives", "pairs"});
    words.insert(words.end(), {"--results", folder.path().string()});
    return said_to(words);
  }
  json all_of() const {
    const Said said = pairs({"--json"});
    EXPECT_EQ(said.code, 0) << said.err;
    return json::parse(said.out);
  }

  store::TemporaryFolder folder;
};

TEST_F(Pairs, AreAMatrixOfAllGpusOfAHost) {
  add({.gpu = 0, .roof = 125e9});
  add({.gpu = 1, .id = "20261120T110000Z-bbbbbb", .roof = 125e9});
  const Said said = pairs();
  EXPECT_EQ(said.code, 0) << said.err;
  for (const char* expected :
       {"Host node1, runs 20261120T110000Z-bbbbbb, 20261120T100000Z-aaaaaa\n",
        "copy_engine, 1 GiB: row writes to column\n",
        "copy_engine, 1 GiB: both write to each other, both ways together\n",
        "           cuda:0     cuda:1\ncuda:0          -  99.9 GB/s\n",
        "\ncuda:1  99.9 GB/s          -\n",
        "Of the 125 GB/s that the links carry, pairs reach 79.9%. No pair is slower than the ",
        "The links: NVLink 5 x 25 MB/s.\n"})
    EXPECT_NE(said.out.find(expected), std::string::npos) << expected << "\nin:\n" << said.out;
  EXPECT_EQ(said.out.find("4 KiB"), std::string::npos) << "only the largest";
  EXPECT_NE(pairs({"*,elements=1024,*"}).out.find("copy_engine, 4 KiB: "), std::string::npos);
}

TEST_F(Pairs, NameTheSlowestBeyondNoise) {
  for (int gpu = 0; gpu < 3; ++gpu)
    add({.gpu = gpu,
         .gpus = 3,
         .id = fmt::format("20261120T10000{}Z-aaaaaa", gpu),
         .slow_peer = gpu == 2 ? 1 : -1});
  const json made = all_of();
  EXPECT_EQ(made["gpus"], (json{"cuda:0", "cuda:1", "cuda:2"}));
  EXPECT_FALSE(made.contains("links"));
  ASSERT_EQ(made["matrices"].size(), 2u);
  for (const json& matrix : made["matrices"]) {
    EXPECT_EQ(matrix["pairs"].size(), 6u);
    EXPECT_EQ(matrix["slowest"], (json{{"gpu", "cuda:2"}, {"peer", "cuda:1"}}));
    EXPECT_EQ(matrix["bytes"], 1 << 30);
  }
  const std::string text = pairs().out;
  EXPECT_NE(text.find("cuda:2 with cuda:1 is slower than the other pairs by 10"), std::string::npos)
      << text;
  EXPECT_NE(text.find("do not say what the links between the GPUs carry"), std::string::npos);
}

TEST_F(Pairs, OfOneProcessAreNotJudged) {
  for (int gpu = 0; gpu < 2; ++gpu)
    add({.gpu = gpu, .processes = 1, .id = fmt::format("20261120T10000{}Z-aaaaaa", gpu)});
  EXPECT_NE(pairs().out.find("With one process per case, nothing tells"), std::string::npos);
}

TEST_F(Pairs, AreOfTheNewestRunOfEachGpuOfOneHost) {
  add({.gpu = 0, .id = "20261120T100000Z-aaaaaa", .rate = 1e9});
  add({.gpu = 0, .id = "20261121T100000Z-bbbbbb", .rate = 100e9});
  add({.gpu = 1, .id = "20261120T110000Z-cccccc", .rate = 50e9});
  add({.gpu = 1, .id = "20261120T120000Z-dddddd", .host = "node2", .rate = 2e9});
  const json made = all_of();
  EXPECT_EQ(made["host"], "node1");
  EXPECT_EQ(made["runs"], (json{"20261121T100000Z-bbbbbb", "20261120T110000Z-cccccc"}));
}

TEST_F(Pairs, OfTheReportAreThoseOfARunAndItsSiblings) {
  add({.gpu = 0, .id = "20261120T100000Z-aaaaaa", .roof = 125e9});
  add({.gpu = 1, .id = "20261120T100500Z-bbbbbb", .started = "2026-11-20T10:05:00Z"});
  // Another seed, another host, and the same seed on another day.
  add({.gpu = 1, .id = "20261120T100100Z-cccccc", .seed = 2, .started = "2026-11-20T10:01:00Z"});
  add({.gpu = 1, .id = "20261120T100200Z-dddddd", .host = "node2"});
  add({.gpu = 1, .id = "20261121T100000Z-eeeeee", .started = "2026-11-21T10:00:00Z"});
  add({.gpu = 0, .id = "20261123T100000Z-ffffff", .seed = 2, .started = "2026-11-23T10:00:00Z"});
  const store::LeftOut none = [](const Error& error) { ADD_FAILURE() << error.what(); };
  const auto of = [&](const std::string& id) { return pairs_of(id, none); };
  using Ids = std::vector<std::string>;
  const present::PairMatrices both = of("20261120T100000Z-aaaaaa");
  EXPECT_EQ(both.runs, (Ids{"20261120T100000Z-aaaaaa", "20261120T100500Z-bbbbbb"}));
  ASSERT_EQ(both.matrices.size(), 2u);
  EXPECT_EQ(both.matrices[0].pairs.size(), 2u);
  EXPECT_EQ(of("20261120T100100Z-cccccc").runs, Ids{"20261120T100100Z-cccccc"});
}

TEST_F(Pairs, OfABrokenRunAreLeftOutAndSaid) {
  const std::string good = "20261120T100000Z-aaaaaa", bad = "20261120T100500Z-bbbbbb";
  add({.gpu = 0, .id = good});
  add({.gpu = 1, .id = bad, .started = "2026-11-20T10:05:00Z"});
  store::change(folder / "synthetic-gpu.sqlite",
                "UPDATE measurement SET median_ns = -1 WHERE id = (SELECT max(id) FROM "
                "measurement)");
  std::vector<std::string> said;
  const present::PairMatrices left =
      pairs_of(good, [&](const Error& why) { said.push_back(why.what()); });
  EXPECT_EQ(left.runs, std::vector<std::string>{good});
  ASSERT_EQ(said.size(), 1u);
  EXPECT_NE(said[0].find("synthetic-gpu.sqlite"), std::string::npos) << said[0];
  const Said told = pairs();
  EXPECT_EQ(told.code, 0) << told.err;
  EXPECT_NE(told.err.find("left out: "), std::string::npos) << told.err;
  EXPECT_NE(told.out.find("run " + good), std::string::npos) << told.out;
}

TEST_F(Pairs, AreNoneWithoutSuchARun) {
  store::Store::create(folder / "synthetic-gpu.sqlite");
  const Said said = pairs();
  EXPECT_EQ(said.code, 64);
  EXPECT_NE(said.err.find("no stored run has copied between GPUs"), std::string::npos) << said.err;
}

}  // namespace collective_pairs_test
}  // namespace ridgeline::cli
