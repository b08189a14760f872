// `ridgeline collectives` over stored runs, as a user calls it. All times are made up.

#include <cmath>
#include <filesystem>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/cli/said.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/files_fixture.hpp"
#include "harness/store/temporary_folder.hpp"
#include "harness/store/write_run.hpp"

namespace ridgeline::cli {
namespace collectives_test {

namespace examples = store::examples;
using nlohmann::json;

class Curves : public testing::Test {
 protected:
  /// A run of all_reduce of f32: 10 us and 100 GB/s of algorithm bandwidth at so many sizes from
  /// 1 KiB on, each twice the one before.
  void add_run(int ranks, int sizes, const std::string& id, double slower = 1, double wire = 0,
               const char* calls = "16") const {
    store::Store store = store::Store::create(folder / "synthetic-gpu.sqlite");
    const record::Run run = examples::run(id);
    store::begin(store, run, examples::device(), examples::environment());
    const std::int64_t process = store::add(store, examples::process(0, run.id));
    for (int i = 0; i < sizes; ++i) {
      const double bytes = std::ldexp(1024, i), ns = slower * (1e4 + bytes / 100);
      record::Case info;
      info.id = {"collectives",
                 "nccl",
                 "f32",
                 {{"op", "all_reduce"},
                  {"ranks", std::to_string(ranks)},
                  {"bytes", fmt::format("{:.0f}", bytes)},
                  {"mode", "pipelined"},
                  {"calls", calls}},
                 {}};
      info.device_kind = DeviceKind::fake;
      info.ranks = ranks;
      record::Measurement measured = examples::measurement(info, {ns, ns, ns});
      measured.metrics = {{"busbw", 1e9 * bytes / ns, "B/s", record::Direction::higher}};
      store::add(store, process, info, measured);
    }
    if (wire > 0) store::add(store, run.id, {"link.to_peer", wire, "B/s", "NVLink 4 x 25 MB/s"});
    store::finish(store, run.id, record::RunStatus::finished, run.started);
  }

  /// A run with all_reduce of 1 KiB and 1 MiB between two ranks: by the library's own choice, and
  /// told two things, of which one is `faster` times as fast. So many processes, which differ by
  /// `unsteady` of half the time of the other thing.
  void add_choices(const std::string& id, int processes, double faster, double unsteady = 0) const {
    store::Store store = store::Store::create(folder / "synthetic-gpu.sqlite");
    const record::Run run = examples::run(id);
    store::begin(store, run, examples::device(), examples::environment());
    for (int replicate = 0; replicate < processes; ++replicate) {
      const std::int64_t process = store::add(store, examples::process(replicate, run.id));
      for (const char* bytes : {"1024", "1048576"})
        for (const char* protocol : {"", "ll", "simple"}) {
          record::Case info;
          info.id = {"collectives",
                     "nccl",
                     "f32",
                     {{"op", "all_reduce"},
                      {"ranks", "2"},
                      {"bytes", bytes},
                      {"mode", "pipelined"},
                      {"calls", "16"}},
                     {}};
          const std::string told = protocol;
          if (!told.empty()) info.id.options = {{"algorithm", "ring"}, {"protocol", told}};
          info.device_kind = DeviceKind::fake;
          info.ranks = 2;
          double ns = (1e4 + 10 * replicate) / (told == "ll" ? faster : 1);
          if (told == "simple" && unsteady > 0) ns *= 0.5 + unsteady * replicate;
          store::add(store, process, info, examples::measurement(info, {ns, ns, ns}));
        }
    }
    store::finish(store, run.id, record::RunStatus::finished, run.started);
  }

  Said collectives(std::vector<std::string> words) const {
    words.insert(words.begin(), {"ridgeline", "collectives"});
    words.insert(words.end(), {"--results", folder.path().string()});
    return said_to(words);
  }
  json all_of(std::vector<std::string> words) const {
    words.push_back("--json");
    const Said said = collectives(words);
    EXPECT_EQ(said.code, 0) << said.err;
    return json::parse(said.out);
  }

  store::TemporaryFolder folder;
};

TEST_F(Curves, AreFittedOfTheNewestRunThatHasThem) {
  add_run(2, 16, "20261120T100000Z-aaaaaa");
  add_run(4, 16, "20261121T100000Z-bbbbbb", 2);
  add_run(4, 2, "20261122T100000Z-cccccc");  // too few sizes
  const json curves = all_of({"fit"})["curves"];
  ASSERT_EQ(curves.size(), 2u);
  for (const json& curve : curves) {
    const bool four = curve["ranks"] == 4;
    EXPECT_EQ(curve["run"], four ? "20261121T100000Z-bbbbbb" : "20261120T100000Z-aaaaaa");
    EXPECT_EQ(curve["pieces"].size(), 1u);
    EXPECT_NEAR(curve["rate"].get<double>(), four ? 50e9 : 100e9, 1e6);
    EXPECT_NEAR(curve["half_rate_bytes"].get<double>(), 1e6, 1e3);
    EXPECT_EQ(curve["left_out"]["sizes"], 7);
    EXPECT_LT(curve["left_out"]["largest_error"].get<double>(), 1e-6);
  }
  const Said said = collectives({"fit", "*,ranks=4,*"});
  EXPECT_NE(said.out.find("all_reduce, 4 ranks, pipelined, 16 calls, nccl, f32"),
            std::string::npos);
  EXPECT_NE(said.out.find("1 KiB to 32 MiB: 20.0 us + bytes at 50.0 GB/s"), std::string::npos)
      << said.out;
  EXPECT_EQ(said.out.find("2 ranks"), std::string::npos);
}

TEST_F(Curves, OfRowsOfOtherLengthsStayApart) {
  add_run(2, 16, "20261120T100000Z-aaaaaa");
  add_run(2, 16, "20261121T100000Z-bbbbbb", 2, 0, "64");
  const json curves = all_of({"fit"})["curves"];
  ASSERT_EQ(curves.size(), 2u);
  for (const json& curve : curves)
    EXPECT_NEAR(curve["rate"].get<double>(), curve["calls"] == 64 ? 50e9 : 100e9, 1e6);
}

TEST_F(Curves, HaveTheShareOfTheWireThatTheirRateReaches) {
  add_run(2, 16, "20261120T100000Z-aaaaaa", 1, 125e9);
  add_run(4, 16, "20261121T100000Z-bbbbbb", 1, 80e9);
  add_run(8, 16, "20261122T100000Z-cccccc");
  for (const json& curve : all_of({"fit"})["curves"]) {
    const double wire = curve["ranks"] == 2 ? 125e9 : 80e9;
    EXPECT_EQ(curve.contains("wire"), curve["ranks"] != 8);
    EXPECT_EQ(curve.contains("share_of_wire"), curve["ranks"] != 8);
    if (!curve.contains("wire")) continue;
    EXPECT_EQ(curve["wire"]["rate"], wire);
    EXPECT_NEAR(curve["share_of_wire"].get<double>(), 100e9 / wire, 1e-4);
    EXPECT_EQ(curve["above_wire"], wire < 100e9);
  }
  const std::string text = collectives({"fit"}).out;
  EXPECT_NE(text.find(" 80.0% "), std::string::npos) << text;
  EXPECT_NE(text.find(" 125% above the wire "), std::string::npos) << text;
  EXPECT_NE(text.find("125 GB/s one way by NVLink 4 x 25 MB/s."), std::string::npos) << text;
  EXPECT_NE(text.find("No wire where a run does not say"), std::string::npos) << text;
  const std::string known = collectives({"fit", "*,ranks=2,*"}).out;
  EXPECT_EQ(known.find("No wire"), std::string::npos) << known;
}

TEST_F(Curves, AreNoneOfTwoSizes) {
  add_run(2, 2, "20261120T100000Z-aaaaaa");
  const Said said = collectives({"fit"});
  EXPECT_EQ(said.code, 64);
  EXPECT_NE(said.err.find("no stored run has three sizes"), std::string::npos);
}

// 7 billion parameters of f32: 28 GB.
TEST_F(Curves, ProjectTheWorkedExamplesWithoutARun) {
  const std::vector<std::string> of{"project", "--parameters", "7e9", "--ranks", "8", "--link"};
  auto slow = of, fast = of;
  slow.push_back("32GB/s");
  fast.push_back("300GB/s");
  const std::string slowly = collectives(slow).out, fastly = collectives(fast).out;
  EXPECT_NE(slowly.find("28 GB of gradients; n = 8, buckets of 25 MiB"), std::string::npos);
  EXPECT_NE(slowly.find(" 875 ms  all bytes once over 32.0 GB/s"), std::string::npos) << slowly;
  EXPECT_NE(slowly.find(" 1531 ms  2(n-1)/n = 1.75 times that"), std::string::npos) << slowly;
  EXPECT_NE(fastly.find(" 93.3 ms "), std::string::npos) << fastly;
  EXPECT_NE(fastly.find(" 163 ms "), std::string::npos) << fastly;
  EXPECT_NE(fastly.find("no run has three sizes of all_reduce"), std::string::npos) << fastly;
}

TEST_F(Curves, ProjectByMeasurementsAndSayWhatIsExtrapolated) {
  add_run(8, 18, "20261120T100000Z-aaaaaa");
  std::vector<std::string> of{"project", "--parameters", "7e9", "--ranks", "8"};
  json made = all_of(of);
  const double bucket = 25 << 20, buckets = std::floor(28e9 / bucket),
               rest = 28e9 - buckets * bucket;
  EXPECT_EQ(made["measured"]["buckets"], buckets);
  EXPECT_NEAR(made["measured"]["ns"].get<double>() / (1e4 * (buckets + 1) + 28e9 / 100), 1, 1e-6);
  EXPECT_NEAR(made["measured"]["rest_bytes"].get<double>(), rest, 1);
  EXPECT_FALSE(made["measured"]["extrapolated"]);
  EXPECT_EQ(made["measured"]["doubts"], json::array());
  EXPECT_NEAR(made["link"].get<double>(), made["curve"]["best_busbw"].get<double>(), 1);

  of.back() = "16";
  of.insert(of.end(), {"--bucket", "1GiB", "--dtype", "bf16"});
  made = all_of(of);
  EXPECT_NEAR(made["measured"]["scale"].get<double>(), (15.0 / 16) / (7.0 / 8), 1e-9);
  EXPECT_EQ(made["bytes"], 14e9);
  const auto doubts = made["measured"]["doubts"].get<std::vector<std::string>>();
  ASSERT_EQ(doubts.size(), 3u);
  EXPECT_EQ(doubts[0],
            "extrapolated from 8 ranks to 16: times are multiplied by 1.07, as those of a ring");
  EXPECT_EQ(doubts[1], "the curve is of f32, by the bytes of its messages");
  EXPECT_EQ(doubts[2], "extrapolated beyond the sizes of the curve, 1 KiB to 128 MiB");
}

TEST_F(Curves, RefuseWhatIsNoAmount) {
  for (const char* parameters : {"many", "-1", "0", "7e", "7 billion", "nan", "1e300"})
    EXPECT_EQ(collectives({"project", "--parameters", parameters, "--ranks", "8"}).code, 64)
        << parameters;
  EXPECT_EQ(collectives({"project", "--parameters", "1", "--ranks", "2", "--link", "3 knots"}).code,
            64);
  EXPECT_EQ(collectives({"project", "--parameters", "1", "--ranks", "0"}).code, 64);
}

TEST_F(Curves, SayThatOneRankDoesNotCommunicate) {
  const Said said =
      collectives({"project", "--parameters", "1e9", "--ranks", "1", "--link", "32GB/s"});
  EXPECT_NE(said.out.find("one rank does not communicate"), std::string::npos) << said.out;
}

TEST_F(Curves, HaveTheChoicesOfALibraryBesideItsOwn) {
  add_choices("20261120T100000Z-aaaaaa", 3, 1.25);
  const json curves = all_of({"choices"})["curves"];
  ASSERT_EQ(curves.size(), 1u);
  EXPECT_EQ(curves[0]["op"], "all_reduce");
  ASSERT_EQ(curves[0]["sizes"].size(), 2u);
  const json& size = curves[0]["sizes"][0];
  EXPECT_EQ(size["bytes"], 1024);
  EXPECT_EQ(size["told"][0]["choice"], "ring ll");
  EXPECT_EQ(size["fastest"], "ring ll");
  EXPECT_NEAR(size["own_over_fastest"].get<double>(), 1.25, 1e-9);
  EXPECT_GT(size["interval"]["low"].get<double>(), 1.2);
  const Said said = collectives({"choices"});
  EXPECT_NE(said.out.find("At 2 of 2 sizes, something that the library can be told is faster"),
            std::string::npos)
      << said.out;
  EXPECT_NE(said.out.find("25.0% longer than ring ll"), std::string::npos) << said.out;
}

TEST_F(Curves, BlameNoChoiceWhereTheFastestIsUnsteady) {
  add_choices("20261120T100000Z-aaaaaa", 3, 1.25, 0.1);
  const json size = all_of({"choices"})["curves"][0]["sizes"][0];
  EXPECT_EQ(size["told"][1]["outcome"], "unstable");
  EXPECT_FALSE(size.contains("fastest")) << size;
  const Said said = collectives({"choices"});
  EXPECT_NE(said.out.find("2 of 2 sizes have too few processes, or no steady time"),
            std::string::npos)
      << said.out;
}

void add_rows(const store::TemporaryFolder& folder, int processes,
              const std::string& id = "20261120T100000Z-aaaaaa") {
  store::Store store = store::Store::create(folder / "synthetic-gpu.sqlite");
  const record::Run run = examples::run(id);
  store::begin(store, run, examples::device(), examples::environment());
  for (int replicate = 0; replicate < processes; ++replicate) {
    const std::int64_t process = store::add(store, examples::process(replicate, run.id));
    for (const int calls : {1, 16, 64}) {
      record::Case info;
      info.id = {"collectives",
                 "nccl",
                 "f32",
                 {{"op", "broadcast"},
                  {"ranks", "2"},
                  {"bytes", "8388608"},
                  {"mode", calls == 1 ? "isolated" : "pipelined"},
                  {"calls", std::to_string(calls)}},
                 {}};
      info.device_kind = DeviceKind::fake;
      info.ranks = 2;
      const double ns = 61e3 / calls + 38e3 + 10 * replicate;
      store::add(store, process, info, examples::measurement(info, {ns, ns, ns}));
    }
  }
  store::finish(store, run.id, record::RunStatus::finished, run.started);
}

TEST_F(Curves, TellWhatAFurtherCallOfARowTakes) {
  add_rows(folder, 3);
  const json operations = all_of({"rows"})["operations"];
  ASSERT_EQ(operations.size(), 1u);
  const json& size = operations[0]["sizes"][0];
  EXPECT_NEAR(size["each_ns"].get<double>(), 38010, 1);
  EXPECT_NEAR(size["once_ns"].get<double>(), 61e3, 1);
  EXPECT_LT(size["each_interval"]["low"].get<double>(), 38010);
  EXPECT_EQ(size["rows"].size(), 3u);
  const Said said = collectives({"rows"});
  EXPECT_NE(said.out.find("broadcast, 2 ranks, nccl, f32"), std::string::npos) << said.out;
  EXPECT_EQ(said.out.find("Without an interval"), std::string::npos) << said.out;
  EXPECT_NE(collectives({"rows", "*/op=all_gather,*"}).code, 0);
}

TEST_F(Curves, SayWhatRowsOfTwoProcessesLack) {
  add_rows(folder, 2);
  EXPECT_FALSE(all_of({"rows"})["operations"][0]["sizes"][0].contains("each_interval"));
  const Said said = collectives({"rows"});
  EXPECT_NE(said.out.find("Without an interval: it takes three processes of both rows.\n"),
            std::string::npos)
      << said.out;
}

/// What two ranks exchange of 16 tokens of hidden size 4096 of bf16, by three processes: 10 us for
/// all_reduce, 6 for reduce_scatter, 4 for all_gather, and half of that in rows. `bytes`: of that,
/// or of another size.
void add_layers(const store::TemporaryFolder& folder, const std::vector<const char*>& bytes) {
  store::Store store = store::Store::create(folder / "synthetic-gpu.sqlite");
  const record::Run run = examples::run("20261120T100000Z-aaaaaa");
  store::begin(store, run, examples::device(), examples::environment());
  for (int replicate = 0; replicate < 3; ++replicate) {
    const std::int64_t process = store::add(store, examples::process(replicate, run.id));
    for (const char* size : bytes)
      for (const auto& [operation, ns] : {std::pair("all_reduce", 1e4),
                                          {"reduce_scatter", 6e3},
                                          {"all_gather", 4e3},
                                          {"broadcast", 1e3}})
        for (const int calls : {1, 16, 64}) {
          record::Case info;
          info.id = {"collectives",
                     "nccl",
                     "bf16",
                     {{"op", operation},
                      {"ranks", "2"},
                      {"bytes", size},
                      {"mode", calls == 1 ? "isolated" : "pipelined"},
                      {"calls", std::to_string(calls)}},
                     {}};
          info.device_kind = DeviceKind::fake;
          info.ranks = 2;
          const double time = (calls == 1 ? ns : ns / 2) + replicate;
          store::add(store, process, info, examples::measurement(info, {time, time, time}));
        }
  }
  store::finish(store, run.id, record::RunStatus::finished, run.started);
}

TEST_F(Curves, AddUpToWhatALayerExchanges) {
  add_layers(folder, {"131072"});
  const json groups = all_of({"layers", "--layers", "10"})["groups"];
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_EQ(groups[0]["ranks"], 2);
  ASSERT_EQ(groups[0]["sizes"].size(), 2u) << "16 tokens of 4096, 8 of 8192";
  const json& size = groups[0]["sizes"][0];
  EXPECT_EQ(size["hidden"], 4096);
  EXPECT_EQ(size["tokens"], 16);
  EXPECT_NEAR(size["plain"]["alone"]["ns"].get<double>(), 10 * 2 * 1e4, 100);
  EXPECT_NEAR(size["plain"]["in_rows"]["ns"].get<double>(), 10 * 2 * 5e3, 100) << "not of 64";
  EXPECT_NEAR(size["sequence"]["alone"]["ns"].get<double>(), 10 * 2 * (6e3 + 4e3), 100);
  EXPECT_LT(size["sequence"]["alone"]["interval"]["low"].get<double>(), 200'040);
  const Said said = collectives({"layers"});
  EXPECT_NE(said.out.find("run 20261120T100000Z-aaaaaa: 1 layer of 2 ranks, nccl, bf16\n"),
            std::string::npos)
      << said.out;
  EXPECT_NE(said.out.find("\n  4096      16  128 KiB  20.0 us"), std::string::npos) << said.out;
  EXPECT_EQ(said.out.find("Without an interval"), std::string::npos) << said.out;
}

TEST_F(Curves, OfLayersHaveWholeTokensThatTheRanksCanShare) {
  add_layers(folder, {"8192", "12288", "131072"});
  const json sizes = all_of({"layers", "--hidden", "4096"})["groups"][0]["sizes"];
  ASSERT_EQ(sizes.size(), 2u) << "one token and 16; none and a half";
  EXPECT_FALSE(sizes[0]["plain"].empty());
  EXPECT_TRUE(sizes[0]["sequence"].empty()) << "two ranks cannot share one token";
  EXPECT_FALSE(sizes[1]["sequence"].empty());
  const Said none = collectives({"layers", "--hidden", "5000"});
  EXPECT_EQ(none.code, 64);
  EXPECT_NE(none.err.find("--profile tensor_parallel"), std::string::npos) << none.err;
}

TEST_F(Curves, OfABrokenRunAreLeftOutAndSaid) {
  const std::string good = "20261120T100000Z-aaaaaa", bad = "20261121T100000Z-bbbbbb";
  const auto expect_good = [&](const char* command, const char* list) {
    store::change(folder / "synthetic-gpu.sqlite",
                  "UPDATE measurement SET median_ns = -1 WHERE id = (SELECT max(id) FROM "
                  "measurement)");
    const Said said = collectives({command, "--json"});
    ASSERT_EQ(said.code, 0) << said.err;
    const json told = json::parse(said.out)[list];
    ASSERT_EQ(told.size(), 1u) << command;
    EXPECT_EQ(told[0]["run"], good) << command;
    EXPECT_NE(said.err.find("left out: "), std::string::npos) << said.err;
    std::filesystem::remove(folder / "synthetic-gpu.sqlite");
  };
  add_run(2, 16, good);
  add_run(2, 16, bad);
  expect_good("fit", "curves");
  add_choices(good, 3, 1.1);
  add_choices(bad, 3, 1.1);
  expect_good("choices", "curves");
  add_rows(folder, 3, good);
  add_rows(folder, 3, bad);
  expect_good("rows", "operations");
}

TEST_F(Curves, BlameNoChoiceForNoise) {
  add_choices("20261120T100000Z-aaaaaa", 3, 1.0001);
  EXPECT_NE(collectives({"choices"})
                .out.find("Nothing that the library can be told is faster beyond noise."),
            std::string::npos);
  add_choices("20261121T100000Z-bbbbbb", 2, 2);
  const Said said = collectives({"choices"});
  EXPECT_NE(said.out.find("bbbbbb"), std::string::npos) << "the newest run";
  EXPECT_NE(said.out.find("2 of 2 sizes have too few processes"), std::string::npos) << said.out;
}

TEST_F(Curves, OfWhatALibraryWasToldAreNotFitted) {
  add_choices("20261120T100000Z-aaaaaa", 3, 1.25);
  EXPECT_NE(collectives({"fit"}).code, 0) << "two sizes of its own choice are too few";
  add_run(2, 16, "20261121T100000Z-bbbbbb");
  EXPECT_EQ(all_of({"fit"})["curves"].size(), 1u);
  EXPECT_EQ(collectives({"choices"}).code, 0) << "of the run before";
}

TEST(Choices, SayHowToMeasureThem) {
  const store::TemporaryFolder empty;
  store::Store::create(empty / "synthetic-gpu.sqlite");
  const Said said =
      said_to({"ridgeline", "collectives", "choices", "--results", empty.path().string()});
  EXPECT_EQ(said.code, 64);
  EXPECT_NE(said.err.find("no stored run has told a library what to choose"), std::string::npos);
}

}  // namespace collectives_test
}  // namespace ridgeline::cli
