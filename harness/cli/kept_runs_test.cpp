// baseline, merge and prune, as a user calls them.

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/cli/said.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/files_fixture.hpp"
#include "harness/store/read_runs.hpp"
#include "harness/store/temporary_folder.hpp"
#include "harness/store/write_run.hpp"

namespace ridgeline::cli {
namespace kept_runs_test {

namespace examples = store::examples;
namespace fs = std::filesystem;
using nlohmann::json;
using record::Outcome;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class KeptRuns : public testing::Test {
 protected:
  KeptRuns() {
    setenv("RIDGELINE_LOCKS", folder.path().c_str(), 1);
    add_run("results", "synthetic-gpu", "20200101T000000Z-aaaa", "2020-01-01T00:00:00Z");
    add_run("results", "synthetic-gpu", "20200201T000000Z-bbbb", "2020-02-01T00:00:00Z");
  }
  ~KeptRuns() override { unsetenv("RIDGELINE_LOCKS"); }

  fs::path file(const std::string& results, const std::string& model) const {
    return folder / results / (model + ".sqlite");
  }

  void add_run(const std::string& results, const std::string& model, const std::string& id,
               const std::string& started, const std::string& label = "",
               Outcome outcome = Outcome::ok) {
    store::Store store = store::Store::create(file(results, model));
    record::Device device = examples::device();
    device.model = model;
    record::Run run = examples::run(id, started);
    run.label = label;
    store::begin(store, run, device, examples::environment());
    record::Process process = examples::process(0, id);
    process.started = started;
    const record::Case info = examples::gemm_case();
    store::add(store, store::add(store, process), info,
               outcome == Outcome::ok ? examples::measurement(info)
                                      : examples::failed(info, outcome, "signal 11"));
    store::finish(store, id, record::RunStatus::finished, started);
  }

  Said ridgeline(std::vector<std::string> words, const std::string& results = "results") {
    words.insert(words.begin(), "ridgeline");
    words.insert(words.end(), {"--results", (folder / results).string()});
    return said_to(words);
  }

  std::string path(const std::string& name) const { return (folder / name).string(); }

  store::TemporaryFolder folder;
};

TEST_F(KeptRuns, ABaselineIsSetListedUsedMovedAndRemoved) {
  EXPECT_TRUE(contains(ridgeline({"baseline", "list"}).out, "there are no baselines"));
  const Said set = ridgeline({"baseline", "set", "main", "20200101"});
  EXPECT_EQ(set.code, 0) << set.err;
  EXPECT_EQ(set.out,
            "baseline main of synthetic-gpu is run 20200101T000000Z-aaaa of 2020-01-01 00:00:00 "
            "UTC, finished: 1 ok\n");
  EXPECT_TRUE(
      contains(ridgeline({"show", "baseline:main"}).out, "run 20200101T000000Z-aaaa: finished"));
  const Said moved = ridgeline({"baseline", "set", "main", "latest"});
  EXPECT_TRUE(contains(moved.out, "  before, it was run 20200101T000000Z-aaaa\n")) << moved.out;
  const Said list = ridgeline({"baseline", "list"});
  EXPECT_TRUE(
      contains(list.out, "main      synthetic-gpu  20200201T000000Z-bbbb  2020-02-01 00:00:00"))
      << list.out;
  const json all = json::parse(ridgeline({"baseline", "list", "--json"}).out);
  EXPECT_EQ(all["baselines"][0]["name"], "main");
  EXPECT_EQ(all["baselines"][0]["run"]["id"], "20200201T000000Z-bbbb");
  const Said removed = ridgeline({"baseline", "remove", "main"});
  EXPECT_EQ(removed.out,
            "baseline main of synthetic-gpu is removed; run 20200201T000000Z-bbbb stays\n");
  const Said again = ridgeline({"baseline", "remove", "main"});
  EXPECT_EQ(again.code, 64);
  EXPECT_TRUE(contains(again.err, "no baseline is called 'main'")) << again.err;
}

TEST_F(KeptRuns, OneNameMayStandForARunOfEachModel) {
  add_run("results", "synthetic-other", "20200301T000000Z-cccc", "2020-03-01T00:00:00Z");
  ridgeline({"baseline", "set", "main", "gpu"});
  ridgeline({"baseline", "set", "main", "other"});
  EXPECT_TRUE(contains(ridgeline({"show", "other@baseline:main"}).out, "20200301T000000Z-cccc"));
  const Said unclear = ridgeline({"baseline", "remove", "main"});
  EXPECT_EQ(unclear.code, 64);
  EXPECT_TRUE(contains(unclear.err, "synthetic-gpu@main, synthetic-other@main")) << unclear.err;
  EXPECT_EQ(ridgeline({"baseline", "remove", "other@main"}).code, 0);
  EXPECT_TRUE(contains(ridgeline({"show", "baseline:main"}).out, "20200201T000000Z-bbbb"));
}

TEST_F(KeptRuns, ABaselineNeedsAPlainNameAndARunWithResults) {
  for (const char* name : {"a b", "a@b", "label:x", ""})
    EXPECT_EQ(ridgeline({"baseline", "set", name, "latest"}).code, 64) << name;
  add_run("results", "synthetic-gpu", "20200401T000000Z-dddd", "2020-04-01T00:00:00Z", "",
          Outcome::crashed);
  const Said failed = ridgeline({"baseline", "set", "main", "latest"});
  EXPECT_EQ(failed.code, 64);
  EXPECT_TRUE(contains(failed.err, "no measurement of it is ok")) << failed.err;
  EXPECT_EQ(ridgeline({"baseline", "set", "main", "label:nothing"}).code, 64);
  EXPECT_EQ(ridgeline({"baseline"}).code, 64);
  EXPECT_EQ(ridgeline({"baseline", "set", "main", "latest"}, "nowhere").code, 74);
}

TEST_F(KeptRuns, FoldersAreMergedAndKnownTheSecondTime) {
  add_run("one", "synthetic-gpu", "20200301T000000Z-cccc", "2020-03-01T00:00:00Z");
  add_run("two", "synthetic-other", "20200302T000000Z-dddd", "2020-03-02T00:00:00Z");
  ridgeline({"baseline", "set", "main", "latest"}, "one");
  const Said said = ridgeline({"merge", path("one"), path("two")});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(said.out, file("one", "synthetic-gpu").string() + ": 1 run added; 1 measurement\n" +
                          "  its baselines stay there: main\n" +
                          file("two", "synthetic-other").string() +
                          ": 1 run added; 1 measurement\n" + "2 folders merged into " +
                          path("results") + ": 2 runs added; 2 measurements\n");
  EXPECT_EQ(json::parse(ridgeline({"runs", "--json"}).out)["runs"].size(), 4u);
  const json again = json::parse(ridgeline({"merge", path("one"), path("two"), "--json"}).out);
  EXPECT_EQ(again["total"]["runs"]["known"], 2);
  EXPECT_EQ(again["total"]["runs"]["added"], 0);
  EXPECT_EQ(again["files"].size(), 2u);
  EXPECT_EQ(again["files"][0]["baselines_left"][0], "main");
}

TEST_F(KeptRuns, MergingMakesAFolderThatIsNotThere) {
  const Said said = ridgeline({"merge", path("results"), "--quiet"}, "all/of/them");
  EXPECT_EQ(said.out,
            "1 folder merged into " + path("all/of/them") + ": 2 runs added; 2 measurements\n");
  EXPECT_TRUE(fs::exists(file("all/of/them", "synthetic-gpu")));
}

TEST_F(KeptRuns, FoldersThatCannotBeMeantAreRefusedBeforeAnythingIsMerged) {
  add_run("one", "synthetic-gpu", "20200301T000000Z-cccc", "2020-03-01T00:00:00Z");
  fs::create_symlink(folder / "one", folder / "link");
  std::ofstream(folder / "file") << "x";
  const std::pair<std::vector<std::string>, std::pair<int, const char*>> table[] = {
      {{"one", "one"}, {64, "are one folder"}},      {{"one", "link"}, {64, "are one folder"}},
      {{"one", "results"}, {64, "into itself"}},     {{"one", "nowhere"}, {74, "No such file"}},
      {{"one", "file"}, {74, "it is not a folder"}},
  };
  for (const auto& [names, expected] : table) {
    std::vector<std::string> words{"merge"};
    for (const std::string& name : names) words.push_back(path(name));
    const Said said = ridgeline(words);
    EXPECT_EQ(said.code, expected.first) << names.back();
    EXPECT_TRUE(contains(said.err, expected.second)) << said.err;
  }
  EXPECT_EQ(ridgeline({"merge"}).code, 64);
  EXPECT_EQ(json::parse(ridgeline({"runs", "--json"}).out)["runs"].size(), 2u);
}

TEST_F(KeptRuns, WhatCannotBeReadIsLeftOutAndTheRestMerged) {
  fs::create_directories(folder / "broken");
  fs::create_directories(folder / "empty");
  std::ofstream(folder / "broken" / "synthetic-gpu.sqlite") << std::string(4096, 'x');
  add_run("good", "synthetic-gpu", "20200301T000000Z-cccc", "2020-03-01T00:00:00Z");
  add_run("conflict", "synthetic-gpu", "20200101T000000Z-aaaa", "2020-01-01T00:00:00Z", "another");
  const Said said =
      ridgeline({"merge", path("broken"), path("empty"), path("conflict"), path("good")});
  EXPECT_EQ(said.code, 74);
  EXPECT_TRUE(contains(said.err, "it is not a database")) << said.err;
  EXPECT_TRUE(contains(said.err, "there are no results in " + path("empty"))) << said.err;
  EXPECT_TRUE(contains(said.err, "has another run of this id, which differs in")) << said.err;
  EXPECT_TRUE(contains(said.out, "4 folders merged into " + path("results") +
                                     ": 1 run added; 1 measurement; 3 left out\n"))
      << said.out;
  EXPECT_TRUE(contains(ridgeline({"show", "20200301"}).out, "20200301T000000Z-cccc"));
}

TEST_F(KeptRuns, AModelThatIsNoNameOfAFileIsRefused) {
  add_run("evil", "synthetic-gpu", "20200301T000000Z-cccc", "2020-03-01T00:00:00Z");
  fs::remove(file("evil", "synthetic-gpu"));
  {
    store::Store store = store::Store::create(folder / "evil" / "x.sqlite");
    record::Device device = examples::device();
    device.model = "../../outside";
    store::begin(store, examples::run("a"), device, examples::environment());
  }
  const Said said = ridgeline({"merge", path("evil")});
  EXPECT_EQ(said.code, 74);
  EXPECT_TRUE(contains(said.err, "'../../outside' cannot name a results file")) << said.err;
  EXPECT_FALSE(fs::exists(folder.path().parent_path() / "outside.sqlite"));
}

TEST_F(KeptRuns, AModelThatCouldBeStoredCanBeMerged) {
  for (const char* model : {"synthetic:gpu+2", "-synthetic"}) {
    add_run("odd", model, "20200301T000000Z-cccc", "2020-03-01T00:00:00Z");
    const Said said = ridgeline({"merge", path("odd")}, "all");
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_TRUE(fs::exists(file("all", model)));
    fs::remove_all(folder / "odd");
  }
}

TEST_F(KeptRuns, AMergeOfNothingLeavesNoFile) {
  add_run("bad", "synthetic-new", "20200301T000000Z-cccc", "2020-03-01T00:00:00Z");
  store::change(file("bad", "synthetic-new"), "UPDATE run SET status = 'asleep'");
  const Said said = ridgeline({"merge", path("bad"), path("results")}, "all");
  EXPECT_EQ(said.code, 74);
  EXPECT_TRUE(contains(said.err, "'asleep' as status")) << said.err;
  EXPECT_FALSE(fs::exists(file("all", "synthetic-new")));
  EXPECT_TRUE(fs::exists(file("all", "synthetic-gpu"))) << "the next folder is merged";
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "all"))
    EXPECT_EQ(entry.path().extension(), ".sqlite") << entry.path();
}

TEST_F(KeptRuns, AJournalBesideAStoreIsNeverPlayedBack) {
  const fs::path journal = file("results", "synthetic-gpu").string() + "-journal";
  std::ofstream(journal) << std::string(600, 'x');
  for (const std::vector<std::string>& words : {std::vector<std::string>{"runs"},
                                                {"show", "latest"},
                                                {"trend"},
                                                {"merge", path("results")},
                                                {"prune", "--older-than", "1d", "--yes"}}) {
    const bool merges = words.front() == "merge";
    const Said said = merges ? ridgeline(words, "all") : ridgeline(words);
    EXPECT_EQ(said.code, 74) << words.front();
    EXPECT_TRUE(contains(said.err, "synthetic-gpu.sqlite-journal lies beside it")) << said.err;
    EXPECT_TRUE(fs::exists(journal));
  }
}

TEST_F(KeptRuns, PruningSaysFirstAndDropsWithYes) {
  ridgeline({"baseline", "set", "main", "20200101"});
  const Said plan = ridgeline({"prune", "--older-than", "12w"});
  EXPECT_EQ(plan.code, 0) << plan.err;
  EXPECT_TRUE(contains(plan.out,
                       "synthetic-gpu     1  2020-02-01 00:00:00  2020-02-01 00:00:00             "
                       "1        3  24 B\n"))
      << plan.out;
  EXPECT_TRUE(contains(
      plan.out, "kept: 3 samples of run 20200101T000000Z-aaaa of synthetic-gpu, baseline main\n"));
  EXPECT_TRUE(contains(plan.out, "nothing was dropped: --yes drops them")) << plan.out;
  const std::string before = ridgeline({"show", "latest"}).out;
  const Said done = ridgeline({"prune", "--older-than", "12w", "--yes", "--shrink"});
  EXPECT_EQ(done.code, 0) << done.err;
  EXPECT_TRUE(contains(done.out, "dropped 3 samples; medians and all else")) << done.out;
  EXPECT_EQ(ridgeline({"show", "latest"}).out, before)
      << "medians, intervals and shares are as they were";
  EXPECT_TRUE(contains(ridgeline({"show", "--samples", "gemm", "latest"}).out,
                       "3 samples of 20 executions each, median 110 ns, output checked by variant, "
                       "warm-up at its budget; dropped by ridgeline prune on "));
  EXPECT_TRUE(
      contains(ridgeline({"export", "google-benchmark", "latest"}).out, "\"iterations\": 60"));
  EXPECT_TRUE(contains(ridgeline({"export", "jsonl", "latest"}).out, "\"pruned\":{\"samples\":3,"));
  EXPECT_TRUE(
      contains(ridgeline({"show", "--samples", "gemm", "--json", "latest"}).out, "\"pruned\""));
  EXPECT_TRUE(
      contains(ridgeline({"prune", "--older-than", "12w", "--yes"}).out, "no samples to drop\n"));
}

TEST_F(KeptRuns, AnAgeIsANumberOfDaysOrWeeks) {
  for (const char* age : {"90", "d", "-1d", "0d", "1h", "1.5d", "9999999999d", "1dd"}) {
    const Said said = ridgeline({"prune", "--older-than", age});
    EXPECT_EQ(said.code, 64) << age;
    EXPECT_TRUE(contains(said.err, "90d, 12w")) << said.err;
  }
  EXPECT_EQ(ridgeline({"prune"}).code, 64);
  EXPECT_EQ(ridgeline({"prune", "--older-than", "1d", "--yes", "--dry-run"}).code, 64);
}

TEST_F(KeptRuns, PruningGoesOnPastAFileThatCannotBeRead) {
  std::ofstream(folder / "results" / "a-broken.sqlite") << std::string(4096, 'x');
  const Said said = ridgeline({"prune", "--older-than", "1d", "--yes"});
  EXPECT_EQ(said.code, 74);
  EXPECT_TRUE(contains(said.err, "left out")) << said.err;
  EXPECT_TRUE(contains(said.out, "dropped 6 samples")) << said.out;
}

}  // namespace kept_runs_test
}  // namespace ridgeline::cli
