#include <csignal>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/store/baselines.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/files_fixture.hpp"
#include "harness/store/integrity_fixture.hpp"
#include "harness/store/merge_parts.hpp"
#include "harness/store/prune.hpp"
#include "harness/store/read_gates.hpp"
#include "harness/store/read_runs.hpp"
#include "harness/store/write_gate.hpp"

namespace ridgeline::store {
namespace merge_test {

const record::Case good = examples::gemm_case(), bad = examples::gemm_case("wmma");

std::int64_t add_process(Store& store, const std::string& run, int replicate) {
  const std::int64_t process = add(store, examples::process(replicate, run));
  add(store, process, good,
      examples::measurement(good, {110.0 + replicate, 100.0 + replicate, 120}));
  add(store, process, bad, examples::failed(bad, record::Outcome::crashed, "signal 11"));
  return process;
}

/// A run with a roof, and two processes of two cases each.
void add_run(Store& store, const std::string& id, const std::string& label = "") {
  record::Run run = examples::run(id);
  run.label = label;
  begin(store, run, examples::device(), examples::environment());
  add(store, id, {"dram.copy", 1e12, "B/s", "measured"});
  for (int replicate = 0; replicate < 2; ++replicate) add_process(store, id, replicate);
}

void finish(Store& store, const std::string& id) {
  finish(store, id, record::RunStatus::finished, "2026-11-20T12:46:00Z");
}

/// A gate with one pair and one verdict, not finished.
record::Gate add_gate(Store& store) {
  const record::Gate gate = examples::gate();
  begin(store, gate, examples::side(gate, gate.baseline_run),
        examples::side(gate, gate.candidate_run), examples::device(), examples::environment());
  const std::int64_t baseline = add(store, examples::process(0, gate.baseline_run)),
                     candidate = add(store, examples::process(0, gate.candidate_run));
  const std::int64_t a = add(store, baseline, good, examples::measurement(good)),
                     b = add(store, candidate, good, examples::measurement(good));
  add(store, gate.id, examples::pair(good), a, b);
  add(store, gate.id, examples::pass(good));
  return gate;
}

void add_round(Store& store, const record::Gate& gate, int round) {
  const std::int64_t a = add(store, add(store, examples::process(round, gate.baseline_run)), good,
                             examples::measurement(good)),
                     b = add(store, add(store, examples::process(round, gate.candidate_run)), good,
                             examples::measurement(good));
  add(store, gate.id, examples::pair(good, round), a, b);
}

class Merging : public testing::Test {
 protected:
  Merging()
      : runner(Store::create(folder / "runner.sqlite")),
        hub(Store::create(folder / "synthetic-gpu.sqlite")) {
    // Ids of rows are not those of the runner.
    add_run(hub, "older");
  }

  std::vector<double> samples(const std::string& run, std::size_t measurement) const {
    return store::measurements(hub, run, Samples::read).at(measurement).measurement.samples_ns;
  }

  TemporaryFolder folder;
  Store runner, hub;
};

TEST_F(Merging, AddsRunsWithAllThatIsStoredOfThem) {
  add_run(runner, "a", "nightly");
  finish(runner, "a");
  add_run(runner, "b");
  const Merged merged = merge(hub, runner, examples::now);
  EXPECT_EQ(merged.runs.added, 2);
  EXPECT_EQ(merged.runs.known + merged.runs.extended, 0);
  EXPECT_EQ(merged.measurements, 8);
  EXPECT_TRUE(merged.refused.empty());
  const auto runs = store::runs(hub);
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[1].run.id, "b");
  EXPECT_EQ(runs[1].run.status, record::RunStatus::running);
  EXPECT_EQ(runs[2].run.label, "nightly");
  EXPECT_EQ(runs[2].run.status, record::RunStatus::finished);
  EXPECT_EQ(runs[2].run.finished, "2026-11-20T12:46:00Z");
  const auto there = store::measurements(runner, "a", Samples::read),
             here = store::measurements(hub, "a", Samples::read);
  ASSERT_EQ(here.size(), there.size());
  for (std::size_t i = 0; i < here.size(); ++i) {
    EXPECT_EQ(here[i].measurement.samples_ns, there[i].measurement.samples_ns);
    EXPECT_EQ(here[i].measurement.outcome, there[i].measurement.outcome);
    EXPECT_EQ(here[i].measurement.seed, there[i].measurement.seed);
    EXPECT_EQ(here[i].measurement.metrics.size(), there[i].measurement.metrics.size());
    EXPECT_EQ(here[i].replicate, there[i].replicate);
  }
  EXPECT_EQ(store::roofs(hub, "a").size(), 1u);
  EXPECT_EQ(store::builds(hub, "a").at(0).commit, "abc123");
  EXPECT_NO_THROW(store::check_integrity(hub));
}

TEST_F(Merging, ASecondTimeChangesNothing) {
  add_run(runner, "a");
  add_gate(runner);
  merge(hub, runner, examples::now);
  const auto before = store::runs(hub);
  const Merged again = merge(hub, runner, examples::now);
  EXPECT_EQ(again.runs.known, 3);
  EXPECT_EQ(again.gates.known, 1);
  EXPECT_EQ(again.runs.added + again.runs.extended + again.gates.added + again.gates.extended, 0);
  EXPECT_EQ(again.measurements, 0);
  EXPECT_TRUE(again.refused.empty());
  EXPECT_EQ(store::runs(hub).size(), before.size());
}

TEST_F(Merging, TakesOverWhatARunHasGotSince) {
  add_run(runner, "a");
  merge(hub, runner, examples::now);
  add_process(runner, "a", 2);
  finish(runner, "a");
  const Merged more = merge(hub, runner, examples::now);
  EXPECT_EQ(more.runs.extended, 1);
  EXPECT_EQ(more.measurements, 2);
  EXPECT_EQ(store::runs(hub).at(1).run.status, record::RunStatus::finished);
  EXPECT_EQ(samples("a", 4), (std::vector<double>{112, 102, 120}));
  EXPECT_EQ(merge(hub, runner, examples::now).runs.known, 1);
  EXPECT_NO_THROW(store::check_integrity(hub));
}

TEST_F(Merging, AMeasurementOfAProcessThatWasThereGoesToThatProcess) {
  begin(runner, examples::run("a"), examples::device(), examples::environment());
  const std::int64_t process = add_process(runner, "a", 0);
  merge(hub, runner, examples::now);
  const record::Case other = examples::gemm_case("naive", 128);
  add(runner, process, other, examples::measurement(other));
  EXPECT_EQ(merge(hub, runner, examples::now).measurements, 1);
  const auto all = store::measurements(hub, "a", Samples::leave_out);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[2].process_id, all[0].process_id);
}

TEST_F(Merging, AnOlderCopyTakesNothingAway) {
  add_run(runner, "a");
  Store copy = Store::create(folder / "copy.sqlite");
  merge(copy, runner, examples::now);
  add_process(runner, "a", 2);
  finish(runner, "a");
  merge(hub, runner, examples::now);
  EXPECT_EQ(merge(hub, copy, examples::now).runs.known, 1);
  EXPECT_EQ(store::measurements(hub, "a", Samples::leave_out).size(), 6u);
  EXPECT_EQ(store::runs(hub).at(1).run.status, record::RunStatus::finished);
}

TEST_F(Merging, TheSameIdWithOtherContentIsRefusedAndTheRestMerged) {
  add_run(runner, "a");
  add_run(runner, "b");
  add_run(runner, "c");
  add_run(hub, "a", "another label");
  record::Run unlabelled = examples::run("b");
  unlabelled.label.clear();
  begin(hub, unlabelled, examples::device(), examples::environment());
  add(hub, add(hub, examples::process(0, "b")), good,
      examples::measurement(good, {110, 100.5, 120}));
  const Merged merged = merge(hub, runner, examples::now);
  EXPECT_EQ(merged.runs.added, 1) << "c";
  ASSERT_EQ(merged.refused.size(), 2u);
  for (const Error& error : merged.refused) EXPECT_EQ(error.kind(), ErrorKind::store);
  const std::string a = merged.refused[0].what(), b = merged.refused[1].what();
  EXPECT_NE(a.find("run a of"), std::string::npos) << a;
  EXPECT_NE(a.find("label"), std::string::npos) << a;
  EXPECT_NE(b.find("measurement 1 of it, of gemm/naive/f32/m=64,n=64,k=64"), std::string::npos)
      << b;
  EXPECT_EQ(store::measurements(hub, "b", Samples::leave_out).size(), 1u) << "what is there stays";
}

TEST_F(Merging, DroppedSamplesStayDroppedOnEitherSide) {
  add_run(runner, "a");
  merge(hub, runner, examples::now);
  prune(hub, "a", "2026-12-01T00:00:00Z");
  EXPECT_EQ(merge(hub, runner, examples::now).runs.known, 1);
  EXPECT_TRUE(samples("a", 0).empty());
  Store third = Store::create(folder / "third.sqlite");
  EXPECT_EQ(merge(third, hub, examples::now).runs.added, 2);
  EXPECT_EQ(store::measurements(third, "a", Samples::read).at(0).measurement.pruned,
            (record::Pruned{3, "2026-12-01T00:00:00Z"}));
  EXPECT_EQ(merge(runner, hub, examples::now).runs.added, 1) << "older";
  EXPECT_EQ(store::measurements(runner, "a", Samples::read).at(0).measurement.samples_ns.size(), 3u)
      << "nor taken away";
}

TEST_F(Merging, GatesComeWithTheirPairsAndVerdicts) {
  const record::Gate gate = add_gate(runner);
  const Merged merged = merge(hub, runner, examples::now);
  EXPECT_EQ(merged.gates.added, 1);
  ASSERT_EQ(store::gates(hub).size(), 1u);
  EXPECT_EQ(store::gates(hub)[0].gate.status, record::RunStatus::running);
  EXPECT_EQ(store::pairs(hub, gate.id).at(0).baseline_ns, examples::pair().baseline_ns);
  EXPECT_EQ(store::verdicts(hub, gate.id).at(0).ratio, examples::pass().ratio);
  add_round(runner, gate, 1);
  finish_gate(runner, gate.id, record::RunStatus::finished, "2026-11-20T13:10:00Z");
  const Merged more = merge(hub, runner, examples::now);
  EXPECT_EQ(more.gates.extended, 1);
  EXPECT_EQ(more.runs.extended, 2);
  EXPECT_EQ(store::pairs(hub, gate.id).size(), 2u);
  EXPECT_EQ(store::gates(hub)[0].gate.status, record::RunStatus::finished);
  EXPECT_NO_THROW(store::check_integrity(hub));
}

TEST_F(Merging, PairsThatCameAfterTheRunsWereReadAreTakenTheNextTime) {
  const record::Gate gate = add_gate(runner);
  merge(hub, runner, examples::now);
  add_round(runner, gate, 1);
  finish_gate(runner, gate.id, record::RunStatus::finished, "2026-11-20T13:10:00Z");
  Merged merged;
  merge_gate(hub, runner, gate.id, {}, merged);
  EXPECT_TRUE(merged.refused.empty());
  EXPECT_EQ(store::pairs(hub, gate.id).size(), 1u);
  EXPECT_EQ(store::gates(hub)[0].gate.status, record::RunStatus::running);
  EXPECT_EQ(merge(hub, runner, examples::now).gates.extended, 1);
  EXPECT_EQ(store::pairs(hub, gate.id).size(), 2u);
  EXPECT_EQ(store::gates(hub)[0].gate.status, record::RunStatus::finished);
}

TEST_F(Merging, AFinishedGateWithOtherVerdictsIsRefused) {
  const record::Gate gate = add_gate(runner);
  finish_gate(runner, gate.id, record::RunStatus::finished, "2026-11-20T13:10:00Z");
  merge(hub, runner, examples::now);
  record::CaseVerdict other = examples::pass(good);
  other.ratio_high = 1.5;
  add(hub, gate.id, other);
  const Merged merged = merge(hub, runner, examples::now);
  ASSERT_EQ(merged.refused.size(), 1u);
  EXPECT_NE(std::string(merged.refused[0].what()).find("its verdicts"), std::string::npos);
}

TEST_F(Merging, AGateWhoseRunIsRefusedIsLeftOut) {
  const record::Gate gate = add_gate(runner);
  record::Run side = examples::side(gate, gate.baseline_run);
  side.label = "another";
  begin(hub, side, examples::device(), examples::environment());
  const Merged merged = merge(hub, runner, examples::now);
  EXPECT_EQ(merged.refused.size(), 2u);
  EXPECT_EQ(merged.gates.added, 0);
  EXPECT_TRUE(store::gates(hub).empty());
}

TEST_F(Merging, CountsComeWithSitesAndSources) {
  record::Run run = examples::run("a");
  run.device_uuid = examples::counting_device().uuid;
  begin(runner, run, examples::counting_device(), examples::environment());
  add(runner, add(runner, examples::process(0, "a")), good, examples::counted(good));
  merge(hub, runner, examples::now);
  const auto all = store::measurements(hub, "a", Samples::leave_out);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(store::sites(hub, all[0].id), examples::counted(good).sites);
  EXPECT_EQ(store::sources(hub, all[0].id), examples::counted(good).sources);
  EXPECT_EQ(merge(hub, runner, examples::now).runs.known, 1);
}

TEST_F(Merging, AnotherModelIsRefused) {
  record::Device other = examples::device();
  other.model = "synthetic-other";
  begin(runner, examples::run("a"), other, examples::environment());
  const Merged merged = merge(hub, runner, examples::now);
  ASSERT_EQ(merged.refused.size(), 1u);
  EXPECT_NE(std::string(merged.refused[0].what()).find("one device model"), std::string::npos)
      << merged.refused[0].what();
  EXPECT_EQ(store::runs(hub).size(), 1u);
}

TEST_F(Merging, ABadRowCostsItsRunAlone) {
  const std::pair<const char*, const char*> table[] = {
      {"UPDATE run SET status = 'asleep' WHERE id = 'b'", "run b of"},
      {"UPDATE run SET device_id = 99 WHERE id = 'b'", "run b of"},
      {"UPDATE run SET environment_id = 99 WHERE id = 'b'", "environment of run b"},
      {"UPDATE process SET build_id = 99 WHERE run_id = 'b'", "process 3 of"},
      {"UPDATE measurement SET case_id = 99 WHERE process_id = 3 AND outcome = 'ok'",
       "a case that does not exist"},
      {"UPDATE measurement SET outcome = 'great' WHERE process_id = 4", "'great' as outcome"},
      {"UPDATE measurement SET reason = 'none' WHERE process_id = 4 AND outcome = 'ok'",
       "must give a reason exactly when its outcome is neither ok nor counted"},
      {"UPDATE measurement SET error = 5 WHERE process_id = 4 AND outcome = 'ok'",
       "says outcome ok although its verification failed"},
      {"UPDATE measurement SET median_ns = 5 WHERE process_id = 4 AND outcome = 'ok'",
       "5 as median_ns, which is not the median of its samples"},
      {"UPDATE roof SET value = -1 WHERE run_id = 'b'", "-1 as value"},
  };
  for (const auto& [sql, what] : table) {
    const fs::path file = folder / "changed.sqlite";
    fs::remove(file);
    {
      Store made = Store::create(file);
      for (const char* id : {"a", "b", "c"}) add_run(made, id);
    }
    change(file, sql);
    Store target = Store::in_memory();
    const Merged merged = merge(target, Store::open(file), examples::now);
    EXPECT_EQ(merged.runs.added, 2) << sql;
    EXPECT_EQ(merged.measurements, 8) << sql;
    ASSERT_EQ(merged.refused.size(), 1u) << sql;
    EXPECT_EQ(merged.refused[0].kind(), ErrorKind::store);
    const std::string said = merged.refused[0].what();
    EXPECT_NE(said.find(what), std::string::npos) << sql << ": " << said;
    EXPECT_NE(said.find(file.string()), std::string::npos) << said;
  }
}

TEST_F(Merging, ABadRowOfAGateCostsThatGateAlone) {
  for (const char* sql :
       {"UPDATE gate SET mode = 'guess'", "UPDATE verdict SET ratio = -1",
        "UPDATE pair SET candidate_measurement = 99", "UPDATE gate SET candidate_run = 'gone'",
        "UPDATE pair SET baseline_measurement = candidate_measurement"}) {
    const fs::path file = folder / "changed.sqlite";
    fs::remove(file);
    {
      Store made = Store::create(file);
      add_gate(made);
    }
    change(file, sql);
    Store target = Store::in_memory();
    const Merged merged = merge(target, Store::open(file), examples::now);
    EXPECT_EQ(merged.runs.added, 2) << sql;
    EXPECT_EQ(merged.gates.added, 0) << sql;
    ASSERT_EQ(merged.refused.size(), 1u) << sql;
    EXPECT_NE(std::string(merged.refused[0].what()).find(file.string()), std::string::npos)
        << merged.refused[0].what();
  }
}

TEST_F(Merging, BaselinesStayWhereTheyWereSet) {
  add_run(runner, "a");
  set_baseline(runner, {"main", "a", "2026-11-20T13:00:00Z"});
  merge(hub, runner, examples::now);
  EXPECT_TRUE(store::baselines(hub).empty());
}

/// `writer` adds measurements to `file` until it is told to end, in a process of its own.
pid_t keep_writing(const fs::path& file, const std::string& run) {
  const pid_t child = fork();
  if (child != 0) return child;
  try {
    Store store = Store::create(file);
    begin(store, examples::run(run), examples::device(), examples::environment());
    for (int replicate = 0;; ++replicate) {
      add_process(store, run, replicate);
      usleep(2'000);
    }
  } catch (const std::exception& error) {
    (void)!write(STDERR_FILENO, error.what(), std::string(error.what()).size());
  }
  _exit(1);
}

TEST_F(Merging, GoesOnWhileBothFilesAreWrittenTo) {
  const pid_t there = keep_writing(runner.file(), "there"), here = keep_writing(hub.file(), "here");
  std::int64_t measurements = 0;
  for (int i = 0; i < 10; ++i) {
    const Merged merged = merge(hub, runner, examples::now);
    EXPECT_TRUE(merged.refused.empty());
    measurements += merged.measurements;
    usleep(10'000);
  }
  for (const pid_t child : {there, here}) {
    EXPECT_EQ(waitpid(child, nullptr, WNOHANG), 0) << "still writing";
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  measurements += merge(hub, runner, examples::now).measurements;
  EXPECT_GT(measurements, 0);
  EXPECT_EQ(static_cast<std::size_t>(measurements),
            store::measurements(runner, "there", Samples::leave_out).size());
  EXPECT_EQ(static_cast<std::size_t>(measurements),
            store::measurements(hub, "there", Samples::leave_out).size());
  EXPECT_FALSE(store::measurements(hub, "here", Samples::leave_out).empty());
  EXPECT_NO_THROW(store::check_integrity(hub));
}

}  // namespace merge_test
}  // namespace ridgeline::store
