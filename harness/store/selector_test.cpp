#include "harness/store/selector.hpp"

#include <fstream>

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/store/baselines.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/temporary_folder.hpp"
#include "harness/store/write_gate.hpp"

namespace ridgeline::store {
namespace selector_test {

void none(const Error& why) { ADD_FAILURE() << why.what(); }

class Selector : public testing::Test {
 protected:
  Selector() {
    add("synthetic-h100-pcie", "20260101T000000Z-aaaa", "2026-01-01T00:00:00Z", "old", "c0ffee11");
    add("synthetic-h100-sxm", "20260201T000000Z-bbbb", "2026-02-01T00:00:00Z", "mid", "c0ffee22");
    add("synthetic-h100-sxm", "20260202T000000Z-cccc", "2026-02-02T00:00:00Z", "mid", "badc0de0");
    add("synthetic-h20", "20260301T000000Z-dddd", "2026-03-01T00:00:00Z", "a@b", "c0ffee33");
    add("synthetic-h200", "20251201T000000Z-eeee", "2025-12-01T00:00:00Z", "", "c0ffee44");
  }

  void add(const std::string& model, const std::string& id, const std::string& started,
           const std::string& label, const std::string& commit) {
    Store store = Store::create(folder / (model + ".sqlite"));
    record::Device device = examples::device();
    device.model = model;
    record::Run run = examples::run(id, started);
    run.label = label;
    begin(store, run, device, examples::environment());
    record::Process process = examples::process(0, id);
    process.build.commit = commit;
    store::add(store, process);
  }
  std::string found(const std::string& selector) {
    return find_run(folder.path(), selector, none).summary.run.id.substr(17);
  }
  std::string refused(const std::string& selector) {
    try {
      find_run(folder.path(), selector, none);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return std::string(error.what()) + "; " + error.advice();
    }
    return "found";
  }

  TemporaryFolder folder;
};

TEST_F(Selector, FindsTheOneRunThatIsMeant) {
  const std::pair<const char*, const char*> table[] = {
      {"latest", "dddd"},
      {"20260101", "aaaa"},
      {"20260202T000000Z-cccc", "cccc"},
      {"label:mid", "cccc"},
      {"label:a@b", "dddd"},
      {"commit:c0ffee2", "bbbb"},
      {"commit:c0ffee", "dddd"},
      {"synthetic-h100-sxm@latest", "cccc"},
      {"sxm@latest", "cccc"},
      {"sxm@label:mid", "cccc"},
      {"sxm@commit:c0ff", "bbbb"},
      {"sxm@20260201", "bbbb"},
      {"pcie@label:old", "aaaa"},
      {"pcie", "aaaa"},
      {"h20@latest", "dddd"},  // a whole word wins over the h20 in h200
      {"h200@latest", "eeee"},
      {"h200", "eeee"},
  };
  for (const auto& [selector, id] : table) EXPECT_EQ(found(selector), id) << selector;
}

TEST_F(Selector, ABaselineIsARunOfItsModel) {
  EXPECT_NE(refused("baseline:main").find("no baseline"), std::string::npos);
  EXPECT_NE(refused("baseline:main").find("ridgeline baseline set main RUN"), std::string::npos);
  set_baseline(Store::create(folder / "synthetic-h100-sxm.sqlite"),
               {"main", "20260201T000000Z-bbbb", "2026-02-02T00:00:00Z"});
  EXPECT_EQ(found("baseline:main"), "bbbb");
  EXPECT_EQ(found("h100-sxm@baseline:main"), "bbbb");
  EXPECT_NE(refused("baseline:mian").find("there are: main"), std::string::npos);
  EXPECT_NE(refused("h200@baseline:main").find("no baseline"), std::string::npos);
  set_baseline(Store::create(folder / "synthetic-h20.sqlite"),
               {"main", "20260301T000000Z-dddd", "2026-03-02T00:00:00Z"});
  EXPECT_EQ(found("h20@baseline:main"), "dddd");
  const std::string said = refused("baseline:main");
  EXPECT_NE(said.find("2 device models"), std::string::npos) << said;
  EXPECT_NE(said.find("synthetic-h100-sxm@baseline:main, synthetic-h20@baseline:main"),
            std::string::npos)
      << said;
}

TEST_F(Selector, ListsTheCandidatesOfWhatIsAmbiguous) {
  EXPECT_EQ(refused("202602"),
            "202602 means 2 runs; write more of one: 20260202T000000Z-cccc, 20260201T000000Z-bbbb");
  EXPECT_EQ(
      refused("h100@latest"),
      "h100 means 2 device models; write more of one: synthetic-h100-pcie, synthetic-h100-sxm");
  EXPECT_EQ(refused("h100"), refused("h100@latest"));
}

TEST_F(Selector, SaysWhatThereIsWhenNothingIsMeant) {
  EXPECT_NE(refused("label:none").find("the latest is 20260301T000000Z-dddd"), std::string::npos);
  EXPECT_NE(refused("a100@latest").find("there are: synthetic-h100-pcie, "), std::string::npos);
  EXPECT_NE(refused("sxm@label:old").find("no run"), std::string::npos);
  for (const char* selector :
       {"", "zzz", "commit:", "commit:ffff", "@latest", "sxm@", "baseline:main", "%"})
    EXPECT_NE(refused(selector), "found") << selector;
}

TEST_F(Selector, ListsTheRunsOfAllModelsNewestFirst) {
  std::string order;
  for (const FoundRun& run : all_runs(folder.path(), none)) order += run.summary.run.id[17];
  EXPECT_EQ(order, "dcbae");
}

TEST_F(Selector, AFileThatCannotBeReadIsLeftOutAndNamed) {
  std::ofstream(folder / "synthetic-empty.sqlite") << "";
  std::ofstream(folder / "synthetic-garbage.sqlite") << std::string(4096, 'x');
  std::ofstream(folder / "synthetic-newer.sqlite")
      << std::ifstream(folder / "synthetic-h20.sqlite").rdbuf();
  SQLite::Database(folder / "synthetic-newer.sqlite", SQLite::OPEN_READWRITE)
      .exec("PRAGMA user_version = 999");
  std::vector<std::string> reasons;
  const auto left_out = [&](const Error& why) { reasons.push_back(why.what()); };
  EXPECT_EQ(all_runs(folder.path(), left_out).size(), 5u);
  // A first run that was killed before it was stored leaves an empty one, which has no runs.
  ASSERT_EQ(reasons.size(), 2u);
  const char* const names[] = {"synthetic-garbage.sqlite", "synthetic-newer.sqlite"};
  for (std::size_t i = 0; i < 2; ++i)
    EXPECT_NE(reasons[i].find(names[i]), std::string::npos) << reasons[i];
  reasons.clear();
  EXPECT_EQ(find_run(folder.path(), "latest", left_out).summary.run.id, "20260301T000000Z-dddd");
  EXPECT_EQ(reasons.size(), 2u);
  // A model that is asked for by name is not left out.
  for (const char* selector : {"garbage@latest", "newer@latest", "empty@latest"})
    EXPECT_THROW(find_run(folder.path(), selector, none), Error) << selector;
  EXPECT_THROW(find_run(folder.path(), "newer", left_out), Error);
}

/// Two gates on one model and a newer one on another, between the runs of the selectors above.
class GateSelector : public Selector {
 protected:
  GateSelector() {
    add_gate("synthetic-h100-sxm", "20260401T000000Z-1111", "2026-04-01T00:00:00Z");
    add_gate("synthetic-h100-sxm", "20260402T000000Z-2222", "2026-04-02T00:00:00Z");
    add_gate("synthetic-h20", "20260501T000000Z-3333", "2026-05-01T00:00:00Z");
  }

  void add_gate(const std::string& model, const std::string& id, const std::string& started) {
    Store store = Store::create(folder / (model + ".sqlite"));
    record::Device device = examples::device();
    device.model = model;
    const record::Gate gate = examples::gate(id, started);
    for (const std::string& side : {gate.baseline_run, gate.candidate_run})
      begin(store, examples::side(gate, side), device, examples::environment());
    begin(store, gate);
  }
  std::string gate_found(const std::string& selector) {
    return find_gate(folder.path(), selector, none).summary.gate.id.substr(17);
  }
  std::string gate_refused(const std::string& selector) {
    try {
      find_gate(folder.path(), selector, none);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return std::string(error.what()) + "; " + error.advice();
    }
    return "found";
  }
};

TEST_F(GateSelector, FindsTheOneGateThatIsMeant) {
  const std::pair<const char*, const char*> table[] = {
      {"latest", "3333"},     {"20260401", "1111"},     {"20260402T000000Z-2222", "2222"},
      {"sxm@latest", "2222"}, {"sxm@20260401", "1111"}, {"h20@latest", "3333"},
  };
  for (const auto& [selector, id] : table) EXPECT_EQ(gate_found(selector), id) << selector;
  std::string order;
  for (const FoundGate& gate : all_gates(folder.path(), none)) order += gate.summary.gate.id[17];
  EXPECT_EQ(order, "321");
}

TEST_F(GateSelector, SaysWhyNoneIsMeant) {
  EXPECT_EQ(
      gate_refused("202604"),
      "202604 means 2 gates; write more of one: 20260402T000000Z-2222, 20260401T000000Z-1111");
  EXPECT_NE(gate_refused("zzz").find("no gate in "), std::string::npos);
  EXPECT_NE(gate_refused("zzz").find("the latest is 20260501T000000Z-3333"), std::string::npos);
  EXPECT_NE(gate_refused("pcie@latest").find("no gate in "), std::string::npos);
  for (const char* selector :
       {"", "@", "sxm@", "@latest", "a100@latest", "20260401T000000Z-1111-baseline", "20260101"})
    EXPECT_NE(gate_refused(selector), "found") << selector;
}

TEST_F(GateSelector, ASideOfAGateIsMeantByItsWholeIdAlone) {
  EXPECT_EQ(found("20260402T000000Z-2222-baseline"), "2222-baseline");
  EXPECT_EQ(found("sxm@20260402T000000Z-2222-candidate"), "2222-candidate");
  EXPECT_EQ(found("latest"), "dddd") << "the runs of gates are newer";
  EXPECT_EQ(found("sxm"), "cccc");
  EXPECT_EQ(found("h20@latest"), "dddd");
  for (const char* selector :
       {"20260402T000000Z-2222-base", "20260402T000000Z-2222", "20260402", "label:first"})
    EXPECT_NE(refused(selector).find("no run in "), std::string::npos) << selector;
  EXPECT_EQ(all_runs(folder.path(), none).size(), 5u + 6u);
}

TEST(ResultsFolder, WhereNothingCanBeReadIsAnError) {
  TemporaryFolder folder;
  std::ofstream(folder / "a.sqlite") << std::string(4096, 'x');
  try {
    all_runs(folder.path(), none);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::store);
    EXPECT_NE(std::string(error.what()).find("a.sqlite: it is not a database"), std::string::npos)
        << error.what();
  }
}

TEST(ResultsFolder, MissingOrWithoutResultsIsAClearStoreError) {
  TemporaryFolder folder;
  std::ofstream(folder / "notes.txt") << "nothing";
  for (const auto& path : {folder.path(), folder / "missing", folder / "notes.txt"}) {
    try {
      all_runs(path, none);
      ADD_FAILURE() << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::store);
    }
  }
}

}  // namespace selector_test
}  // namespace ridgeline::store
