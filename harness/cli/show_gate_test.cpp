// `ridgeline show` on stored gates, as a user calls it.

#include <cstdlib>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/cli/said.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/read_runs.hpp"
#include "harness/store/temporary_folder.hpp"
#include "harness/store/write_gate.hpp"

namespace ridgeline::cli {
namespace show_gate_test {

namespace examples = store::examples;
using nlohmann::json;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// A folder with a run, and a gate with three rounds of one case that was measured on a later day.
class ShowGate : public testing::Test {
 protected:
  ShowGate() {
    setenv("RIDGELINE_LOCKS", folder.path().c_str(), 1);
    store::Store store = store::Store::create(folder / "synthetic-gpu.sqlite");
    add_run(store, "20261121T124501Z-bbbb", "2026-11-21T12:45:01Z");
    for (const std::string& id : {gate.baseline_run, gate.candidate_run})
      store::begin(store, examples::side(gate, id), examples::device(), examples::environment());
    store::begin(store, gate);
    for (int round = 0; round < 3; ++round) {
      const auto measure = [&](const std::string& run, double ns) {
        return store::add(store, store::add(store, examples::process(round, run)), info,
                          examples::measurement(info, {ns}));
      };
      record::Pair pair = examples::pair(info, round);
      pair.baseline_ns = 1000;
      pair.candidate_ns = 1100.5;
      pair.baseline_first = round % 2 == 0;
      if (round == 2) pair.dropped.candidate = "throttled";
      const std::int64_t baseline = measure(gate.baseline_run, pair.baseline_ns),
                         candidate = measure(gate.candidate_run, pair.candidate_ns);
      store::add(store, gate.id, pair, baseline, candidate);
    }
    record::CaseVerdict slow = examples::pass(info);
    slow.verdict = record::Verdict::regression;
    slow.delta = 0.03;
    slow.ratio = 1.1005;
    slow.ratio_low.reset();
    slow.ratio_high = 1.12;
    slow.pairs = 2;
    slow.dropped = 1;
    record::CaseVerdict skipped;
    skipped.case_name = skipped.baseline_case = "scan/naive/f32/n=1";
    skipped.verdict = record::Verdict::skipped;
    skipped.reason = "too noisy here \x1b[31m";
    store::add(store, gate.id, skipped);
    store::add(store, gate.id, slow);
    store::finish_gate(store, gate.id, record::RunStatus::finished, "2026-11-22T13:10:00Z");
  }

  ~ShowGate() override { unsetenv("RIDGELINE_LOCKS"); }

  static void add_run(store::Store& store, const std::string& id, const std::string& started) {
    store::begin(store, examples::run(id, started), examples::device(), examples::environment());
    store::finish(store, id, record::RunStatus::finished, started);
  }

  Said ridgeline(std::vector<std::string> words) {
    words.insert(words.begin(), {"ridgeline", "show"});
    words.insert(words.end(), {"--results", folder.path().string()});
    return said_to(words);
  }

  /// What the first line says is shown.
  std::string shown(const std::string& selector) {
    const Said said = ridgeline({selector});
    return said.code == 0 ? said.out.substr(0, said.out.find(':')) : said.err;
  }

  static record::Gate made() {
    record::Gate gate = examples::gate("20261122T130000Z-9a7e", "2026-11-22T13:00:00Z");
    gate.options = R"({"baseline_commit": "1a2b3c", "candidate_commit": 3})";
    return gate;
  }

  const record::Gate gate = made();
  const record::Case info = examples::gemm_case();
  store::TemporaryFolder folder;
};

TEST_F(ShowGate, SaysWhatTheGateSaid) {
  const Said said = ridgeline({"20261122"});
  EXPECT_EQ(said.code, 0) << said.err << "a stored regression is no failure of show";
  for (const char* part :
       {"gate 20261122T130000Z-9a7e: new/ridgeline-suites against old/ridgeline-suites on ",
        " on synthetic-gpu\n", "  status      finished\n", "  seed        18446744073709551614\n",
        "  command     ridgeline gate --baseline-work",
        "  baseline    run 20261122T130000Z-9a7e-baseline, commit 1a2b3c\n",
        "  candidate   run 20261122T130000Z-9a7e-candidate\n",
        "gemm/naive/f32/m=64,n=64,k=64  regression  +10.1%", "[no bound, +12.0%]", "2 (1 dropped)",
        "scan/naive/f32/n=1             skipped\n    too noisy here \\x1b[31m\n",
        "2 cases: 1 regression, 1 skipped\nthe gate fails: the candidate is slower\n"})
    EXPECT_TRUE(contains(said.out, part)) << part << "\n" << said.out;
}

TEST_F(ShowGate, ThePairsOfACaseAreShown) {
  const Said said = ridgeline({"--samples", "gemm", "20261122"});
  EXPECT_TRUE(contains(
      said.out, "gemm/naive/f32/m=64,n=64,k=64: regression, +10.1% [no bound, +12.0%], delta 3%"))
      << said.out;
  EXPECT_TRUE(
      contains(said.out,
               "round  first      baseline ns  candidate ns  log ratio  dropped\n"
               "    1  baseline        1000.0        1100.5  +0.095765\n"
               "    2  candidate       1000.0        1100.5  +0.095765\n"
               "    3  baseline        1000.0        1100.5  +0.095765  candidate: throttled\n"))
      << said.out;
  EXPECT_TRUE(contains(ridgeline({"--samples", "scan", "20261122"}).out,
                       "scan/naive/f32/n=1: skipped; too noisy"));
  const Said wrong = ridgeline({"--samples", "gemm/naive/f32/m=64,n=64,k=65", "20261122"});
  EXPECT_EQ(wrong.code, 64);
  EXPECT_TRUE(contains(wrong.err, "the gate has no case")) << wrong.err;
  EXPECT_TRUE(contains(wrong.err, "did you mean gemm/naive/f32/m=64,n=64,k=64?")) << wrong.err;
}

TEST_F(ShowGate, IsShownToPrograms) {
  const json all = json::parse(ridgeline({"--json", "20261122"}).out);
  EXPECT_EQ(all["ridgeline_json"], 2);
  EXPECT_EQ(all["gate"]["id"], gate.id);
  EXPECT_EQ(all["gate"]["status"], "finished");
  EXPECT_EQ(all["exit_code"], 1);
  ASSERT_EQ(all["verdicts"].size(), 2u);
  EXPECT_EQ(all["verdicts"][0]["verdict"], "regression");
  EXPECT_EQ(all["verdicts"][0].count("ratio_low"), 0u) << "what is unknown is left out";
  EXPECT_EQ(all["verdicts"][0]["words"]["change"], "+10.1%");
  EXPECT_EQ(all["conclusions"],
            json({"2 cases: 1 regression, 1 skipped", "the gate fails: the candidate is slower"}));
  EXPECT_EQ(all["counts_text"], "1 regression, 1 skipped");
  EXPECT_EQ(all.count("pairs"), 0u);
  const json sampled = json::parse(ridgeline({"--json", "--samples", "gemm", "20261122"}).out);
  EXPECT_EQ(sampled["verdicts"].size(), 1u);
  EXPECT_EQ(sampled.count("conclusions"), 0u) << "those are of all cases";
  ASSERT_EQ(sampled["pairs"].size(), 3u);
  EXPECT_EQ(sampled["pairs"][1]["round"], 1);
  EXPECT_EQ(sampled["pairs"][1]["first"], "candidate");
  EXPECT_EQ(sampled["pairs"][2]["dropped"], "candidate: throttled");
}

TEST_F(ShowGate, AStrictGateStaysStrict) {
  for (const bool strict : {false, true}) {
    record::Gate another = examples::gate(
        strict ? "20261125T130000Z-5711c7" : "20261124T130000Z-1a5e", "2026-11-25T13:00:00Z");
    another.options = nlohmann::json{{"strict", strict}}.dump();
    store::Store store = store::Store::create(folder / "synthetic-gpu.sqlite");
    for (const std::string& id : {another.baseline_run, another.candidate_run})
      store::begin(store, examples::side(another, id), examples::device(), examples::environment());
    store::begin(store, another);
    store::add(store, another.id, examples::pass(info));
    record::CaseVerdict unsure;
    unsure.case_name = unsure.baseline_case = "scan/naive/f32/n=1";
    unsure.reason = "the budget is spent";
    store::add(store, another.id, unsure);
    store::finish_gate(store, another.id, record::RunStatus::finished, "2026-11-25T13:10:00Z");
    EXPECT_EQ(json::parse(ridgeline({"--json", another.id}).out)["exit_code"], strict ? 3 : 0);
    const std::string shown = ridgeline({another.id}).out;
    EXPECT_TRUE(contains(
        shown, strict ? "\nthe gate is strict and does not pass: 1 of 2 cases was not judged\n"
                      : "\nthe gate passes; 1 of 2 cases was not judged\n"))
        << shown;
  }
}

TEST_F(ShowGate, TheLatestIsWhicheverIsNewer) {
  const std::string the_gate = "gate " + gate.id, old_run = "run 20261121T124501Z-bbbb";
  for (const char* selector : {"latest", "gpu", "gpu@latest", "synthetic-gpu"})
    EXPECT_EQ(shown(selector), the_gate);
  EXPECT_EQ(shown("label:first"), old_run);
  EXPECT_EQ(shown("gpu@label:first"), old_run);
  EXPECT_EQ(shown("20261121"), old_run);
  EXPECT_EQ(shown("gpu@20261122"), the_gate);
  EXPECT_EQ(shown(gate.id), the_gate);
  EXPECT_EQ(shown(gate.baseline_run), "run " + gate.baseline_run);
  EXPECT_TRUE(contains(shown("2026112"), "2026112 means 1 run and 1 gate"));
  EXPECT_TRUE(contains(shown("2027"), "is meant by '2027'"));
  {
    store::Store store = store::Store::create(folder / "synthetic-gpu.sqlite");
    add_run(store, "20261123T000000Z-cccc", "2026-11-23T00:00:00Z");
  }
  for (const char* selector : {"latest", "gpu", "gpu@latest", "synthetic-gpu"})
    EXPECT_EQ(shown(selector), "run 20261123T000000Z-cccc");
}

TEST_F(ShowGate, HasNoListingOfItsOwn) {
  const Said said = ridgeline({gate.id, "--listing", record::name(info.id)});
  EXPECT_EQ(said.code, 64);
  EXPECT_TRUE(contains(said.err, "gate " + gate.id + " has no listing: its runs have")) << said.err;
  EXPECT_TRUE(contains(said.err, "ridgeline show --listing CASE " + gate.candidate_run))
      << said.err;
}

}  // namespace show_gate_test
}  // namespace ridgeline::cli
