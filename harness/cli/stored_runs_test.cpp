// The commands that read stored runs, as a user calls them.

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/base/shell.hpp"
#include "harness/cli/said.hpp"
#include "harness/run/device_lock.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/read_runs.hpp"
#include "harness/store/temporary_folder.hpp"
#include "harness/store/write_gate.hpp"

namespace ridgeline::cli {
namespace stored_runs_test {

namespace examples = store::examples;
using nlohmann::json;
using record::Outcome;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class StoredRuns : public testing::Test {
 protected:
  StoredRuns() {
    setenv("RIDGELINE_LOCKS", folder.path().c_str(), 1);
    store::Store store = store::Store::create(folder / "synthetic-gpu.sqlite");
    add_run(store, "20261120T124501Z-aaaa", "2026-11-20T12:45:01Z", "before");
    add_run(store, "20261121T124501Z-bbbb", "2026-11-21T12:45:01Z", "after");
    store::finish(store, "20261121T124501Z-bbbb", record::RunStatus::finished,
                  "2026-11-21T12:46:00Z");
  }

  ~StoredRuns() override { unsetenv("RIDGELINE_LOCKS"); }

  static void add_run(store::Store& store, const std::string& id, const std::string& started,
                      const std::string& label) {
    record::Run run = examples::run(id, started);
    run.label = label;
    store::begin(store, run, examples::device(), examples::environment());
    store::add(store, id, {"dram.copy", 1e12, "B/s", "measured"});
    for (int replicate = 0; replicate < 3; ++replicate) {
      const std::int64_t process = store::add(store, examples::process(replicate, id));
      const record::Case naive = examples::gemm_case("naive"), wmma = examples::gemm_case("wmma"),
                         bad = examples::gemm_case("bad");
      store::add(store, process, naive,
                 examples::measurement(naive, {1000.5 + replicate, 1100.0 + replicate, 1200.0}));
      store::add(store, process, wmma,
                 examples::failed(wmma, Outcome::unsupported, "needs tensor cores"));
      store::add(store, process, bad,
                 examples::failed(bad, Outcome::crashed, "=1+1, \"signal\" \x1b[31m"));
    }
  }

  Said ridgeline(std::vector<std::string> words) {
    words.insert(words.begin(), "ridgeline");
    words.insert(words.end(), {"--results", folder.path().string()});
    return said_to(words);
  }

  store::TemporaryFolder folder;
};

TEST_F(StoredRuns, AreListedNewestFirst) {
  const Said said = ridgeline({"runs"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(said.out,
            "run                    started (UTC)        device         profile  label   status\n"
            "20261121T124501Z-bbbb  2026-11-21 12:45:01  synthetic-gpu  quick    after   finished\n"
            "    measurements: 3 ok, 3 unsupported, 3 crashed\n"
            "20261120T124501Z-aaaa  2026-11-20 12:45:01  synthetic-gpu  quick    before  killed\n"
            "    measurements: 3 ok, 3 unsupported, 3 crashed\n");
  const json all = json::parse(ridgeline({"runs", "--json"}).out);
  EXPECT_EQ(all["ridgeline_json"], 2);
  ASSERT_EQ(all["runs"].size(), 2u);
  EXPECT_EQ(all["runs"][1]["status"], "killed");
  EXPECT_EQ(all["runs"][0]["outcomes"]["ok"], 3);
}

TEST_F(StoredRuns, AFileThatCannotBeReadIsNamedOnce) {
  const std::string shown = ridgeline({"show"}).out, listed = ridgeline({"runs"}).out;
  std::ofstream(folder / "x.sqlite") << std::string(4096, 'x');
  for (const auto& [command, out] : {std::pair("show", shown), std::pair("runs", listed)}) {
    const Said said = ridgeline({command});
    EXPECT_EQ(said.code, 0) << said.err;
    EXPECT_EQ(said.out, out);
    EXPECT_EQ(said.err, "ridgeline: left out: cannot open " + (folder / "x.sqlite").string() +
                            ": it is not a database\n"
                            "  choose another results folder, or move that file away\n");
  }
  EXPECT_EQ(ridgeline({"show", "x@latest"}).code, 74);
}

TEST_F(StoredRuns, TheNewestMayStillBeRunning) {
  store::Store store = store::Store::create(folder / "synthetic-gpu.sqlite");
  store::begin(store, examples::run("20261122T000000Z-cccc", "2026-11-22T00:00:00Z"),
               examples::device(), examples::environment());
  const json all = json::parse(ridgeline({"runs", "--json"}).out);
  EXPECT_EQ(all["runs"][0]["status"], "running or killed") << "no lock here tells";
  const auto status = [&] {
    return json::parse(ridgeline({"runs", "--json"}).out)["runs"][0]["status"];
  };
  const auto hold = [](const char* holder) {
    return run::DeviceLock(examples::device().uuid, holder, {});
  };
  {
    const run::DeviceLock lock = hold("run 20261122T000000Z-cccc: ridgeline run");
    EXPECT_EQ(status(), "running");
  }
  EXPECT_EQ(status(), "killed") << "it held the lock last, and the lock is free";
  const run::DeviceLock other = hold("run 20261122T000000Z-dddd: ridgeline run");
  EXPECT_EQ(status(), "running or killed");
  EXPECT_EQ(all["runs"][0].count("finished"), 0u);
}

TEST_F(StoredRuns, AreToldAsKilledWhereverTheirStatusIsTold) {
  setenv("RIDGELINE_PYTHON", "/bin/true", 1);
  const std::string report = ridgeline({"report", "20261120"}).out;
  unsetenv("RIDGELINE_PYTHON");
  EXPECT_TRUE(contains(report, "run 20261120T124501Z-aaaa on synthetic-gpu, killed\n")) << report;
  const std::string compared = ridgeline({"compare", "20261120", "20261121"}).out;
  EXPECT_TRUE(contains(compared, "A's run is killed: it may lack cases")) << compared;
  const std::string gate =
      ridgeline({"gate", "--baseline", "20261120", "--candidate", "20261121"}).out;
  EXPECT_TRUE(contains(gate, "it is killed: cases that it did not reach are absent")) << gate;
}

/// A gate of the same folder's device, newer than its runs: a pair, and a verdict on each of four
/// cases.
class StoredGates : public StoredRuns {
 protected:
  StoredGates() { add_gate(gate); }

  void add_gate(const record::Gate& of) {
    store::Store store = store::Store::create(folder / "synthetic-gpu.sqlite");
    const record::Case info = examples::gemm_case();
    std::vector<std::int64_t> measured;
    for (const std::string& id : {of.baseline_run, of.candidate_run}) {
      store::begin(store, examples::side(of, id), examples::device(), examples::environment());
      record::Process process = examples::process(0, id);
      process.started = of.started;
      measured.push_back(
          store::add(store, store::add(store, process), info, examples::measurement(info)));
    }
    store::begin(store, of);
    store::add(store, of.id, examples::pair(info), measured[0], measured[1]);
    record::CaseVerdict verdict = examples::pass(info);
    for (const record::Verdict each : {record::Verdict::pass, record::Verdict::regression,
                                       record::Verdict::regression, record::Verdict::improvement}) {
      verdict.verdict = each;
      store::add(store, of.id, verdict);
      verdict.case_name += ",cache=hot";
    }
  }

  const record::Gate gate = examples::gate("20261122T130000Z-9a7e", "2026-11-22T13:00:00Z");
};

TEST_F(StoredGates, AreListedBehindTheRunsInPlaceOfTheirSides) {
  store::finish_gate(store::Store::create(folder / "synthetic-gpu.sqlite"), gate.id,
                     record::RunStatus::finished, "2026-11-22T13:10:00Z");
  const Said said = ridgeline({"runs"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(said.out,
            "run                    started (UTC)        device         profile  label   status\n"
            "20261121T124501Z-bbbb  2026-11-21 12:45:01  synthetic-gpu  quick    after   finished\n"
            "    measurements: 3 ok, 3 unsupported, 3 crashed\n"
            "20261120T124501Z-aaaa  2026-11-20 12:45:01  synthetic-gpu  quick    before  killed\n"
            "    measurements: 3 ok, 3 unsupported, 3 crashed\n"
            "\n"
            "gate                   started (UTC)        device         status\n"
            "20261122T130000Z-9a7e  2026-11-22 13:00:00  synthetic-gpu  finished\n"
            "    baseline -> candidate: old/ridgeline-suites -> new/ridgeline-suites; verdicts: 2 "
            "regressions, 1\n"
            "    improvement, 1 pass\n");
  const json all = json::parse(ridgeline({"runs", "--json"}).out);
  EXPECT_EQ(all["runs"].size(), 2u);
  ASSERT_EQ(all["gates"].size(), 1u);
  EXPECT_EQ(all["gates"][0]["id"], gate.id);
  EXPECT_EQ(all["gates"][0]["candidate_run"], gate.candidate_run);
  EXPECT_EQ(all["gates"][0]["counts"], (json{{"regression", 2}, {"improvement", 1}, {"pass", 1}}));
  EXPECT_EQ(all["gates"][0]["finished"], "2026-11-22T13:10:00Z");
}

TEST_F(StoredGates, AFolderOfGatesAloneHasNoTableOfRuns) {
  std::filesystem::remove(folder / "synthetic-gpu.sqlite");
  EXPECT_EQ(ridgeline({"runs"}).code, 74);
  add_gate(gate);
  EXPECT_EQ(ridgeline({"runs"}).out.substr(0, 5), "gate ");
}

TEST_F(StoredGates, AKilledOneSaysSoOnceItsDeviceHasMeasuredAgain) {
  const auto status = [&] {
    return json::parse(ridgeline({"runs", "--json"}).out)["gates"][0]["status"];
  };
  const auto add_process = [&](const std::string& run, const char* started) {
    record::Process process = examples::process(1, run);
    process.started = started;
    store::add(store::Store::create(folder / "synthetic-gpu.sqlite"), process);
  };
  add_process(gate.candidate_run, "2026-11-22T13:05:00Z");
  EXPECT_EQ(status(), "running or killed") << "its own runs have measured since";
  {
    store::Store store = store::Store::create(folder / "synthetic-gpu.sqlite");
    add_run(store, "20261123T000000Z-cccc", "2026-11-23T00:00:00Z", "since");
  }
  EXPECT_EQ(status(), "killed");
  EXPECT_TRUE(contains(ridgeline({"show", gate.baseline_run}).out,
                       "run " + gate.baseline_run + ": killed\n"));
  // Resumed: a process of it is the last that has measured.
  add_process(gate.candidate_run, "2026-11-23T01:00:00Z");
  EXPECT_EQ(status(), "running or killed");
  EXPECT_TRUE(contains(ridgeline({"show", gate.baseline_run}).out,
                       "run " + gate.baseline_run + ": running or killed\n"));
  EXPECT_EQ(json::parse(ridgeline({"runs", "--json"}).out)["runs"][0]["status"], "killed");
}

TEST_F(StoredGates, OneThatHasNotEndedSaysWhatIsStoredAndHowToGoOn) {
  const std::string resume = "ridgeline gate --resume " + gate.id;
  const std::string there = resume + " " + shell_line({"--results", folder.path().string()});
  const auto lock = [&] {
    return run::DeviceLock(examples::device().uuid, "gate " + gate.id + ": ridgeline gate", {});
  };
  {
    const run::DeviceLock held = lock();
    const std::string shown = ridgeline({"show", gate.id}).out, listed = ridgeline({"runs"}).out;
    EXPECT_TRUE(contains(shown, "the gate is running; 1 pair is stored\n")) << shown;
    EXPECT_TRUE(contains(listed, "verdicts: 2 regressions, 1\n    improvement, 1 pass; 1 pair\n"))
        << listed;
    EXPECT_FALSE(contains(shown + listed, resume)) << "two would measure at once";
  }
  const std::string shown = ridgeline({"show", gate.id}).out, listed = ridgeline({"runs"}).out;
  EXPECT_TRUE(contains(shown, "the gate was killed; 1 pair is stored\n  resume: " + there + "\n"))
      << shown;
  EXPECT_TRUE(contains(listed, "resume the latest gate: " + there + "\n")) << listed;
  EXPECT_EQ(json::parse(ridgeline({"runs", "--json"}).out)["gates"][0]["pairs"], 1);
  const json all = json::parse(ridgeline({"show", "--json", gate.id}).out);
  EXPECT_EQ(all["gate"]["status"], "killed");
  EXPECT_EQ(all["gate"]["pairs"], 1);
  EXPECT_EQ(all.count("exit_code"), 0u) << "it has not ended";
}

TEST_F(StoredGates, TheirSidesAreRunsOfTheirOwnByTheirWholeIdAlone) {
  EXPECT_TRUE(contains(ridgeline({"export", "csv"}).out, "\n20261121T124501Z-bbbb,"))
      << "latest is no side";
  const std::string csv = ridgeline({"export", "csv", gate.baseline_run}).out;
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 3);
  EXPECT_TRUE(
      contains(csv, gate.baseline_run + ",synthetic-gpu,\"gemm/naive/f32/m=64,n=64,k=64\","))
      << csv;
  EXPECT_EQ(ridgeline({"export", "csv", gate.baseline_run.substr(0, 26)}).code, 64);
}

TEST_F(StoredGates, AFileThatCannotBeReadIsNamedOnce) {
  std::ofstream(folder / "x.sqlite") << std::string(4096, 'x');
  EXPECT_EQ(ridgeline({"runs"}).err, "ridgeline: left out: cannot open " +
                                         (folder / "x.sqlite").string() +
                                         ": it is not a database\n"
                                         "  choose another results folder, or move that file "
                                         "away\n");
}

TEST_F(StoredRuns, AreShownWithWhatWasNotOkAndHowToRepeatIt) {
  const Said said = ridgeline({"show", "label:after"});
  EXPECT_EQ(said.code, 0) << said.err;
  for (const char* part :
       {"run 20261121T124501Z-bbbb: finished\n",
        "Synthetic GPU (synthetic-gpu), fake:0, GPU-0000\n",
        "ridgeline-suites abc123 with local changes, g++ 12.2\n", "memory 1 GiB\n",
        "1.00 TB/s  measured\n", "\ngemm/*/f32/m=64,n=64,k=64\n", "\n  naive  ", "  1.10 us  ",
        "  unsupported\n      needs tensor cores\n",
        "  crashed\n      =1+1, \"signal\" \\x1b[31m\n",
        "3 cases: 1 ok, 1 unsupported, 1 crashed\n"})
    EXPECT_TRUE(contains(said.out, part)) << part << "\n" << said.out;
  EXPECT_TRUE(contains(said.out,
                       "repeat what failed: ridgeline run --device fake:0 --seed "
                       "18446744073709551615 gemm/bad/f32/m="));
  EXPECT_FALSE(contains(said.out, "\x1b"));
  EXPECT_EQ(ridgeline({"show"}).out, said.out);
}

TEST_F(StoredRuns, AreListedByLabelDateAndNumber) {
  const auto ids = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"runs", "--json"});
    std::vector<std::string> found;
    const json all = json::parse(ridgeline(options).out);
    for (const json& run : all["runs"]) found.push_back(run["id"]);
    return found;
  };
  using Ids = std::vector<std::string>;
  const std::string newer = "20261121T124501Z-bbbb", older = "20261120T124501Z-aaaa";
  EXPECT_EQ(ids({"--label", "before"}), Ids{older});
  EXPECT_EQ(ids({"--label", "bef"}), Ids{});
  EXPECT_EQ(ids({"--since", "2026-11-21"}), Ids{newer});
  EXPECT_EQ(ids({"--since", "2026-11-20"}), (Ids{newer, older}));
  EXPECT_EQ(ids({"--since", "2026-11-20T12:45:02"}), Ids{newer});
  EXPECT_EQ(ids({"--limit", "1"}), Ids{newer});
  for (const char* wrong :
       {"yesterday", "2026-11", "2026-11-2x", "2026-11-31", "2026-11-20T12:45:01Zx"}) {
    const Said said = ridgeline({"runs", "--since", wrong});
    EXPECT_EQ(said.code, 64);
    EXPECT_TRUE(contains(said.err, std::string(wrong) + " is not a date such as 2026-11-20"))
        << said.err;
  }
}

TEST_F(StoredRuns, AreShownInPart) {
  const auto shown = [&](std::vector<std::string> options) {
    options.insert(options.begin(), {"show", "--json"});
    std::vector<std::string> variants;
    for (const json& one : json::parse(ridgeline(options).out).value("cases", json::array())) {
      const std::string name = one["case"];
      variants.push_back(name.substr(5, name.find('/', 5) - 5));
    }
    return variants;
  };
  using Variants = std::vector<std::string>;
  EXPECT_EQ(shown({}), (Variants{"bad", "naive", "wmma"}));
  EXPECT_EQ(shown({"latest", "gemm/naive", "*/wmma"}), (Variants{"naive", "wmma"}));
  EXPECT_EQ(shown({"--failed"}), (Variants{"bad"}));
  EXPECT_EQ(shown({"--failed", "latest", "gemm/naive"}), Variants{});
  for (const char* key : {"time", "rate", "roof"})
    EXPECT_EQ(shown({"--sort", key}).front(), "naive") << "what has no " << key << " is last";
  EXPECT_TRUE(contains(ridgeline({"show", "--failed"}).out, "\n1 of 3 cases: 1 crashed\n"));
  EXPECT_TRUE(
      contains(ridgeline({"show", "--failed", "latest", "gemm/naive"}).out, "\nno case failed\n"));
  const Said wrong = ridgeline({"show", "latest", "gemm/nave"});
  EXPECT_EQ(wrong.code, 64);
  EXPECT_TRUE(contains(wrong.err, "the run has no case gemm/nave")) << wrong.err;
  EXPECT_EQ(ridgeline({"show", "--sort", "size"}).code, 64);
}

TEST_F(StoredGates, AreShownWhole) {
  for (const std::vector<std::string>& options : {std::vector<std::string>{"gemm"},
                                                  std::vector<std::string>{"--failed"},
                                                  {"--sort", "time"}}) {
    std::vector<std::string> words{"show", gate.id};
    words.insert(words.end(), options.begin(), options.end());
    const Said said = ridgeline(words);
    EXPECT_EQ(said.code, 64);
    EXPECT_TRUE(contains(said.err, "PATTERN, --sort and --failed are for runs")) << said.err;
  }
}

TEST_F(StoredRuns, AreShownToPrograms) {
  const json all = json::parse(ridgeline({"show", "20261120", "--json"}).out);
  EXPECT_EQ(all["ridgeline_json"], 2);
  EXPECT_EQ(all["run"]["id"], "20261120T124501Z-aaaa");
  EXPECT_EQ(all["environment"]["hash"], "e1");
  EXPECT_EQ(all["cases"].size(), 3u);
}

TEST_F(StoredRuns, SamplesOfACaseAreShown) {
  const Said said = ridgeline({"show", "--samples", "gemm/naive"});
  EXPECT_TRUE(contains(said.out, "gemm/naive/f32/m=64,n=64,k=64, replicate 2, attempt 1: ok\n"))
      << said.out;
  EXPECT_TRUE(contains(said.out, "\n  1002.5\n  1102\n  1200\n"));
  const json all = json::parse(ridgeline({"show", "--samples", "gemm/naive", "--json"}).out);
  ASSERT_EQ(all["measurements"].size(), 3u);
  EXPECT_EQ(all["measurements"][0]["samples_ns"], (std::vector<double>{1000.5, 1100, 1200}));
  const Said wrong = ridgeline({"show", "--samples", "gemm/naive/f32/m=64,n=64,k=65"});
  EXPECT_EQ(wrong.code, 64);
  EXPECT_TRUE(contains(wrong.err, "did you mean gemm/naive/f32/m=64,n=64,k=64?")) << wrong.err;
}

TEST_F(StoredRuns, AreExportedAsCsvWithOneRowASample) {
  const std::string csv = ridgeline({"export", "csv"}).out;
  std::vector<std::string> lines;
  std::istringstream stream(csv);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 1 + 3 * (3 + 1 + 1)) << csv;
  EXPECT_EQ(lines[0],
            "run,model,case,suite,variant,dtype,replicate,attempt,outcome,reason,launch,cache,"
            "executions_per_sample,"
            "sample,ns\r");
  EXPECT_EQ(lines[1],
            "20261121T124501Z-bbbb,synthetic-gpu,\"gemm/naive/f32/"
            "m=64,n=64,k=64\",gemm,naive,f32,0,1,ok,,loop,cold,20,0,1000.5\r");
  EXPECT_EQ(lines[4],
            "20261121T124501Z-bbbb,synthetic-gpu,\"gemm/wmma/f32/"
            "m=64,n=64,k=64\",gemm,wmma,f32,0,1,unsupported,needs "
            "tensor cores,,,1,,\r");
  EXPECT_TRUE(contains(lines[5], "crashed,\"'=1+1, \"\"signal\"\" \\x1b[31m\",,,1,,\r"))
      << lines[5];
}

TEST_F(StoredRuns, AreExportedAsJsonLines) {
  std::istringstream stream(ridgeline({"export", "jsonl", "label:before"}).out);
  int lines = 0;
  for (std::string line; std::getline(stream, line); ++lines) {
    const json measurement = json::parse(line);
    EXPECT_EQ(measurement["run"], "20261120T124501Z-aaaa");
    EXPECT_EQ(measurement["samples_ns"].size(), measurement["outcome"] == "ok" ? 3u : 0u);
    EXPECT_EQ(measurement["case_info"]["suite"], "gemm");
  }
  EXPECT_EQ(lines, 9);
}

TEST_F(StoredRuns, AreExportedForGoogleBenchmark) {
  const json all = json::parse(ridgeline({"export", "google-benchmark"}).out);
  EXPECT_EQ(all["context"]["json_schema_version"], 1);
  EXPECT_EQ(all["context"]["host_name"], "nowhere");
  ASSERT_EQ(all["benchmarks"].size(), 3u);
  ASSERT_EQ(all["not_measured"].size(), 6u);
  for (int i = 0; i < 3; ++i) {
    const json& entry = all["benchmarks"][i];
    EXPECT_EQ(entry["name"], "gemm/naive/f32/m=64,n=64,k=64");
    EXPECT_EQ(entry["run_name"], entry["name"]);
    EXPECT_EQ(entry["run_type"], "iteration");
    EXPECT_EQ(entry["repetitions"], 3);
    EXPECT_EQ(entry["repetition_index"], i);
    EXPECT_EQ(entry["threads"], 1);
    EXPECT_EQ(entry["iterations"], 3 * 20);
    EXPECT_EQ(entry["real_time"], 1100.0 + i);
    EXPECT_EQ(entry["cpu_time"], entry["real_time"]);
    EXPECT_EQ(entry["time_unit"], "ns");
    EXPECT_EQ(entry["sectors_per_request"], 4);
    EXPECT_DOUBLE_EQ(entry["flop_rate"].get<double>(), 2.0 * 64 * 64 * 64 / (1100.0 + i) * 1e9);
  }
  EXPECT_EQ(all["not_measured"][0]["outcome"], "crashed");
}

TEST_F(StoredRuns, ExportsAreWrittenWholeOrNotAtAll) {
  const std::string file = folder / "out.csv";
  EXPECT_EQ(ridgeline({"export", "csv", "--output", file}).code, 0);
  std::ifstream stream(file, std::ios::binary);
  const std::string written{std::istreambuf_iterator<char>(stream), {}};
  EXPECT_EQ(written, ridgeline({"export", "csv"}).out);
  EXPECT_EQ(ridgeline({"export", "csv", "--output", "/nonexistent/out.csv"}).code, 74);
}

TEST_F(StoredRuns, MistakesAreClearAndUseTheRightExitCode) {
  const std::tuple<std::vector<std::string>, int, const char*> table[] = {
      {{"show", "nothing"}, 64, "the latest is 20261121T124501Z-bbbb"},
      {{"show", "2026"}, 64, "2026 means 2 runs"},
      {{"show", "label:"}, 64, "nothing stands behind label:"},
      {{"show", "commit:"}, 64, "nothing stands behind commit:"},
      {{"show", "gpu@label:"}, 64, "nothing stands behind label:"},
      {{"show", "gpu@"}, 64, "nothing stands behind the @"},
      {{"show", "a100@latest"}, 64, "there are: synthetic-gpu"},
      {{"export", "xml"}, 64, "xml"},
      {{"export"}, 64, "FORMAT"},
  };
  for (const auto& [words, code, part] : table) {
    const Said said = ridgeline(words);
    EXPECT_EQ(said.code, code) << part;
    EXPECT_TRUE(contains(said.err, part)) << said.err;
    EXPECT_EQ(said.out, "");
  }
  std::filesystem::remove(folder / "synthetic-gpu.sqlite");
  for (const char* command : {"runs", "show"}) EXPECT_EQ(ridgeline({command}).code, 74) << command;
}

}  // namespace stored_runs_test
}  // namespace ridgeline::cli
