// `ridgeline compare` over stored runs, as a user calls it.

#include <algorithm>
#include <cstdlib>
#include <functional>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/cli/said.hpp"
#include "harness/present/comparison.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/prune.hpp"
#include "harness/store/read_runs.hpp"
#include "harness/store/temporary_folder.hpp"
#include "harness/store/write_run.hpp"

namespace ridgeline::cli {
namespace compare_test {

namespace examples = store::examples;
using nlohmann::json;
using record::Outcome;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class Compare : public testing::Test {
 protected:
  Compare() {
    setenv("RIDGELINE_LOCKS", folder.path().c_str(), 1);
    // B has twice the bandwidth; copies follow it, tiles do not, and the last case is B's alone.
    add_run("synthetic-a100", "20261120T124501Z-aaaa", 1e12,
            [](store::Store& store, std::int64_t process, int i) {
              add(store, process, "copy", 2000 + i);
              add(store, process, "tiles", 2000 + i);
              add(store, process, "own_a|b", 1000 + i);
            });
    add_run("synthetic-h100", "20261121T124501Z-bbbb", 2e12,
            [](store::Store& store, std::int64_t process, int i) {
              add(store, process, "copy", 1000 + i);
              add(store, process, "tiles", 2000 + i);
              const record::Case bad = examples::gemm_case("bad");
              store::add(store, process, bad,
                         examples::failed(bad, Outcome::crashed, "signal 11 \x1b[31m"));
            });
  }
  ~Compare() override { unsetenv("RIDGELINE_LOCKS"); }

  static void add(store::Store& store, std::int64_t process, const std::string& variant,
                  double ns) {
    record::Case info = examples::gemm_case(variant);
    info.flops = 0;
    info.bytes = 1e6;
    store::add(store, process, info, examples::measurement(info, {ns - 1, ns, ns + 1}));
  }

  void add_run(const std::string& model, const std::string& id, double bandwidth,
               const std::function<void(store::Store&, std::int64_t, int)>& measure) {
    store::Store store = store::Store::create(folder / (model + ".sqlite"));
    record::Device device = examples::device();
    device.model = model;
    store::begin(store, examples::run(id), device, examples::environment());
    store::add(store, id, {"dram.copy", bandwidth, "B/s", "measured"});
    for (int i = 0; i < 3; ++i) measure(store, store::add(store, examples::process(i, id)), i);
    store::finish(store, id, record::RunStatus::finished, "2026-11-21T12:46:00Z");
  }

  void add_counts(const std::string& model, const std::string& id, double sectors) {
    store::Store store = store::Store::create(folder / (model + ".sqlite"));
    record::Device device = examples::counting_device();
    device.model = model;
    record::Run run = examples::run(id);
    run.device_uuid = device.uuid;
    store::begin(store, run, device, examples::environment());
    record::Measurement counted = examples::counted(examples::gemm_case());
    counted.metrics.at(1).value = sectors;
    store::add(store, store::add(store, examples::process(0, id)), examples::gemm_case(), counted);
    store::finish(store, id, record::RunStatus::finished, "2026-11-21T12:46:00Z");
  }

  Said ridgeline(std::vector<std::string> words) {
    words.insert(words.begin(), "ridgeline");
    words.insert(words.end(), {"--results", folder.path().string()});
    return said_to(words);
  }

  store::TemporaryFolder folder;
};

TEST_F(Compare, TellsRatiosRooflinesAndWhatIsLeft) {
  const Said said = ridgeline({"compare", "a100", "h100"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(said.out,
            "A: Synthetic GPU (synthetic-a100), run 20261120T124501Z-aaaa of 2026-11-20 12:45:01 "
            "UTC, first, profile "
            "quick\n"
            "B: Synthetic GPU (synthetic-h100), run 20261121T124501Z-bbbb of 2026-11-20 12:45:01 "
            "UTC, first, profile "
            "quick\n"
            "\n"
            "Roofs that both have:\n"
            "roof       from              A          B   B/A\n"
            "dram.copy  measured  1.00 TB/s  2.00 TB/s  2.00\n"
            "\n"
            "Times, B over A:\n"
            "case                                 A        B    B/A    95% interval  roofs alone  "
            "rest  A of roof\n"
            "gemm/copy/f32/m=64,n=64,k=64   2.00 us  1.00 us  0.500  0.499 to 0.501        0.500  "
            "1.00      50.0%\n"
            "    B of roof: 50.0%\n"
            "    hardware\n"
            "gemm/tiles/f32/m=64,n=64,k=64  2.00 us  2.00 us   1.00   0.999 to 1.00        0.500  "
            "2.00      50.0%\n"
            "    B of roof: 25.0%\n"
            "    distance: B is farther from its roof\n"
            "\n"
            "Geometric means of B over A:\n"
            "suite  cases   mean    95% interval  processes  lowest  highest\n"
            "gemm       2  0.707  0.706 to 0.708       3, 3   0.500     1.00\n"
            "\n"
            "In A's run alone:\n"
            "gemm/own_a|b/f32/m=64,n=64,k=64\n"
            "\n"
            "In B's run alone:\n"
            "gemm/bad/f32/m=64,n=64,k=64\n");
}

TEST_F(Compare, IsReadByPrograms) {
  const json all = json::parse(ridgeline({"compare", "a100", "h100", "--json"}).out);
  EXPECT_EQ(all["ridgeline_json"], 2);
  EXPECT_EQ(all["a"]["model"], "synthetic-a100");
  EXPECT_EQ(all["b"]["id"], "20261121T124501Z-bbbb");
  ASSERT_EQ(all["cases"].size(), 2u);
  const json& tiles = all["cases"][1];
  EXPECT_NEAR(tiles["ratio"].get<double>(), 1, 1e-12);
  EXPECT_LT(tiles["ratio_low"].get<double>(), 1);
  EXPECT_GT(tiles["ratio_high"].get<double>(), 1);
  EXPECT_NEAR(tiles["roofs_ratio"].get<double>(), 0.5, 1e-12);
  EXPECT_NEAR(tiles["rest"].get<double>(), 2, 1e-12);
  EXPECT_EQ(tiles["cause"], "distance");
  EXPECT_EQ(tiles["roofs"], "measured");
  EXPECT_EQ(tiles["a"]["processes"], 3);
  EXPECT_EQ(all["suites"][0]["cases"], 2);
  EXPECT_EQ(all["one_sided"].size(), 2u);
  EXPECT_EQ(all["one_sided"][1]["in"], "b");
  EXPECT_TRUE(all["differences"].empty());
  EXPECT_EQ(all["conclusions"], (json{"2 cases of 1 suite compared",
                                      "geometric means of B over A: 0.707 (0.706 to 0.708; roofs "
                                      "alone 0.500) over 2 cases of gemm",
                                      "the hardware explains 1 of 2 cases with roofs on both "
                                      "sides, to within 5%; the rest of the others: "
                                      "distance (1)",
                                      "1 case only in A, 1 case only in B"}));
}

TEST_F(Compare, CsvHasARowACaseAndMarkdownEscapesItsCells) {
  const Said csv = ridgeline({"compare", "a100", "h100", "--csv"});
  EXPECT_EQ(std::ranges::count(csv.out, '\n'), 5) << csv.out;
  EXPECT_TRUE(contains(
      csv.out,
      "synthetic-a100,20261120T124501Z-aaaa,synthetic-h100,20261121T124501Z-bbbb,\"gemm/copy/f32/"
      "m=64,n=64,k=64\",gemm,ok,3,2001,"))
      << csv.out;
  EXPECT_TRUE(contains(csv.out, "in B's run alone\r\n"));
  const Said markdown = ridgeline({"compare", "a100", "h100", "--markdown"});
  EXPECT_TRUE(contains(markdown.out, "## synthetic-a100 and synthetic-h100\n")) << markdown.out;
  EXPECT_TRUE(contains(markdown.out, "| gemm | 2 | 0.707 |")) << markdown.out;
  EXPECT_TRUE(contains(markdown.out, "- gemm/own\\_a\\|b/f32/m=64,n=64,k=64\n")) << markdown.out;
}

TEST_F(Compare, ExchangingTheSidesInvertsEveryRatio) {
  const json there = json::parse(ridgeline({"compare", "a100", "h100", "--json"}).out),
             back = json::parse(ridgeline({"compare", "h100", "a100", "--json"}).out);
  for (std::size_t i = 0; i < 2; ++i)
    for (const auto& [one, other] :
         {std::pair("ratio", "ratio"), std::pair("ratio_low", "ratio_high"),
          std::pair("roofs_ratio", "roofs_ratio"), std::pair("rest", "rest")})
      EXPECT_NEAR(there["cases"][i][one].get<double>() * back["cases"][i][other].get<double>(), 1,
                  1e-12)
          << one;
  EXPECT_NEAR(there["suites"][0]["ratio"].get<double>() * back["suites"][0]["ratio"].get<double>(),
              1, 1e-12);
}

TEST_F(Compare, PatternsPickCasesOfEitherSide) {
  EXPECT_FALSE(contains(ridgeline({"compare", "a100", "h100", "gemm/copy"}).out, "tiles"));
  const Said alone = ridgeline({"compare", "a100", "h100", "gemm/bad"});
  EXPECT_EQ(alone.code, 3);
  EXPECT_TRUE(contains(alone.err, "nothing to compare")) << alone.err;
  const Said typo = ridgeline({"compare", "a100", "h100", "gemm/coppy"});
  EXPECT_EQ(typo.code, 64);
  EXPECT_TRUE(contains(typo.err, "gemm/copy")) << typo.err;
}

TEST_F(Compare, RefusesWhatCannotBeCompared) {
  const Said itself = ridgeline({"compare", "a100", "20261120T124501Z-aaaa"});
  EXPECT_EQ(itself.code, 64);
  EXPECT_TRUE(contains(itself.err, "with itself")) << itself.err;
  const Said both = ridgeline({"compare", "a100", "h100", "--json", "--csv"});
  EXPECT_EQ(both.code, 64) << both.err;
  EXPECT_EQ(ridgeline({"compare", "a100"}).code, 64);
  EXPECT_EQ(ridgeline({"compare", "a100", "b200"}).code, 64);
  add_counts("synthetic-emulated", "20261122T124501Z-cccc", 512);
  const Said mixed = ridgeline({"compare", "a100", "emulated"});
  EXPECT_EQ(mixed.code, 64);
  EXPECT_TRUE(contains(mixed.err, "which has times, with run 20261122T124501Z-cccc, which counted"))
      << mixed.err;
}

TEST_F(Compare, CountsAreComparedExactly) {
  add_counts("synthetic-emulated-one", "20261122T124501Z-cccc", 512);
  add_counts("synthetic-emulated-two", "20261122T124501Z-dddd", 513);
  const Said said = ridgeline({"compare", "emulated-one", "emulated-two"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "Counts that differ:\n")) << said.out;
  EXPECT_TRUE(
      contains(said.out, "gemm/naive/f32/m=64,n=64,k=64  global_load_sectors  512  513  1.00\n"))
      << said.out;
  EXPECT_TRUE(contains(said.out, "0 cases of 1 equal in every count; 1 equal counts in all\n"))
      << said.out;
  EXPECT_FALSE(contains(said.out, "us")) << "no times";
  const json all =
      json::parse(ridgeline({"compare", "emulated-one", "emulated-two", "--json"}).out);
  EXPECT_EQ(all["counted"][0]["changed"][0]["b"], 513);
  EXPECT_EQ(all["counted"][0]["equal_counts"], 1);
  EXPECT_EQ(all["conclusions"][0], "0 cases of 1 equal in every count; 1 equal counts in all");
  const Said csv = ridgeline({"compare", "emulated-one", "emulated-two", "--csv"});
  EXPECT_TRUE(contains(csv.out, "global_load_sectors,1,512,513,")) << csv.out;
}

TEST_F(Compare, WhatWasPrunedComparesAsBefore) {
  const std::string before = ridgeline({"compare", "a100", "h100"}).out;
  store::prune(store::Store::create(folder / "synthetic-a100.sqlite"), "20261120T124501Z-aaaa",
               "2026-12-01T00:00:00Z");
  EXPECT_EQ(ridgeline({"compare", "a100", "h100"}).out, before);
}

/// Of suites "a", "b", ... with so many cases, of which all have a ratio, and each of `causes`.
present::ComparedRuns compared_suites(const std::vector<int>& cases,
                                      const std::vector<analysis::Cause>& causes) {
  present::ComparedRuns compared;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string suite(1, static_cast<char>('a' + i));
    analysis::ComparedSuite& mean = compared.comparison.suites.emplace_back();
    mean.suite = suite;
    mean.cases = cases[i];
    mean.mean = 0.5;
    for (int n = 0; n < cases[i]; ++n) {
      analysis::ComparedCase& one = compared.comparison.cases.emplace_back();
      one.id.suite = suite;
      one.ratio = 0.5;
    }
  }
  for (std::size_t i = 0; i < causes.size(); ++i) compared.comparison.cases[i].cause = causes[i];
  return compared;
}

TEST(Conclusions, NameTheLargestSuitesAndCountTheCauses) {
  using enum analysis::Cause;
  present::ComparedRuns compared =
      compared_suites({1, 3, 1, 2}, {hardware, unknown, hardware, distance, unknown});
  compared.comparison.suites[1].roofs_ratio = 0.4;
  compared.comparison.suites[1].roofs_cases = 3;
  compared.comparison.suites[3].roofs_ratio = 0.4;
  compared.comparison.suites[3].roofs_cases = 1;
  compared.comparison.cases.emplace_back();
  compared.comparison.differences = {"profile: quick -> nightly"};
  EXPECT_EQ(
      present::conclusions(compared),
      (std::vector<std::string>{
          "7 cases of 4 suites compared",
          "geometric means of B over A: 0.500 (no interval; roofs alone 0.400) over 3 cases of b, "
          "0.500 (no "
          "interval) over 2 cases of d, 0.500 (no interval) over 1 case of a, and 1 more suite",
          "the hardware explains 2 of 5 cases with roofs on both sides, to within 5%; the rest of "
          "the others: "
          "distance (1), unknown (2)",
          "1 case not compared, 1 difference beside the hardware"}));
}

TEST(Conclusions, SayWhenThereIsNothingToSay) {
  EXPECT_EQ(present::conclusions(compared_suites({}, {})),
            std::vector<std::string>{"nothing could be compared"});
  const std::vector<std::string> said = present::conclusions(compared_suites({1}, {}));
  EXPECT_EQ(said.back(),
            "no roof of both sides says anything of these cases, so nothing is explained");
  EXPECT_EQ(present::conclusions(compared_suites({1}, {analysis::Cause::hardware})).back(),
            "the hardware explains 1 of 1 case with roofs on both sides, to within 5%");
  using enum analysis::Cause;
  EXPECT_EQ(present::conclusions(compared_suites({2}, {none, none})).back(),
            "2 cases may as well be equal on both sides, so that there is nothing to explain");
  EXPECT_EQ(present::conclusions(compared_suites({3}, {none, hardware, distance})).back(),
            "the hardware explains 1 of 2 cases with roofs on both sides, to within 5%; the rest "
            "of the others: distance (1); 1 case may as well be equal");
  present::ComparedRuns alone = compared_suites({1}, {});
  alone.comparison.suites.clear();
  EXPECT_EQ(present::conclusions(alone)[1], "no suite has a mean");
}

TEST(RatioText, HasThreeDigits) {
  const std::pair<double, const char*> table[] = {
      {0.00123456, "0.00123"}, {0.0123456, "0.0123"}, {0.123456, "0.123"},
      {0.99949, "0.999"},      {0.9996, "1.00"},      {1.23456, "1.23"},
      {9.999, "10.0"},         {12.3456, "12.3"},     {123.456, "123"}};
  for (const auto& [ratio, text] : table) EXPECT_EQ(present::short_ratio(ratio), text);
}

}  // namespace compare_test
}  // namespace ridgeline::cli
