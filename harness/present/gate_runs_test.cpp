#include "harness/present/gate_runs.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/present/exit_code.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/integrity_fixture.hpp"
#include "harness/store/read_gates.hpp"
#include "harness/store/read_runs.hpp"
#include "harness/store/temporary_folder.hpp"
#include "harness/store/write_run.hpp"

namespace ridgeline::present {
namespace gate_runs_test {

namespace examples = store::examples;
namespace fs = std::filesystem;
using record::Verdict;

/// A results folder with runs of ten processes each, whose times are within 0.1% of each other.
class GateRuns : public testing::Test {
 protected:
  struct Added {
    std::string id, label;
    double median_ns = 1e5;
    std::string model = "synthetic-gpu", uuid = "GPU-0000", commit = "abc123", file = "";
    record::Facts comparable = examples::environment().comparable;
    bool dirty = false;
    std::vector<std::string> variants = {"tiled"};
  };

  void add(const Added& added) {
    record::Device device = examples::device();
    device.model = added.model;
    device.uuid = added.uuid;
    record::Run run = examples::run(added.id);
    run.device_uuid = device.uuid;
    run.label = added.label;
    record::Environment environment = examples::environment();
    environment.comparable = added.comparable;
    store::Store results = store::Store::create(
        folder / ((added.file.empty() ? added.model : added.file) + ".sqlite"));
    store::begin(results, run, device, environment);
    for (int replicate = 0; replicate < 10; ++replicate) {
      record::Process process = examples::process(replicate, added.id);
      process.build.commit = process.build.code_hash = added.commit;
      process.build.dirty = added.dirty;
      const std::int64_t id = store::add(results, process);
      for (const std::string& variant : added.variants) {
        const record::Case info = examples::gemm_case(variant);
        store::add(
            results, id, info,
            examples::measurement(info, {added.median_ns * (1 + 1e-4 * ((replicate * 7) % 11))}));
      }
    }
    store::finish(results, added.id, record::RunStatus::finished, "2026-11-20T13:00:00Z");
  }

  GateReport gate(gate::GateOptions options = {}) {
    options.baseline = "label:old";
    options.candidate = "label:new";
    return run(options);
  }

  GateReport run(const gate::GateOptions& options) {
    return gate_runs(folder.path(), "ridgeline gate --baseline label:old --candidate label:new",
                     options);
  }

  static std::string refusal(const std::function<void()>& action, ErrorKind kind) {
    try {
      action();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.what();
      return error.what();
    }
    ADD_FAILURE() << "nothing was refused";
    return {};
  }

  static bool is_noted(const GateReport& report, const std::string& text) {
    for (const std::string& note : report.notes)
      if (note.find(text) != std::string::npos) return true;
    return false;
  }

  store::TemporaryFolder folder;
};

TEST_F(GateRuns, FindsASlowDownAndStoresIt) {
  add({.id = "20261120T120000Z-aaaaaa", .label = "old"});
  add({.id = "20261120T130000Z-bbbbbb", .label = "new", .median_ns = 1.1e5, .commit = "def456"});
  const GateReport report = gate();
  ASSERT_EQ(report.verdicts.size(), 1u);
  EXPECT_EQ(report.verdicts[0].verdict, Verdict::regression);
  EXPECT_EQ(report.exit_code, regression);
  const std::string paired =
      "ridgeline gate --device fake:0 --baseline-ref abc123 --candidate-ref def456";
  EXPECT_TRUE(is_noted(report, paired));
  EXPECT_EQ(report.repeat, paired + " gemm/tiled/f32/m=64,n=64,k=64");
  const store::Store results = store::Store::open(report.file);
  store::check_integrity(results);
  const std::vector<store::GateSummary> stored = store::gates(results);
  ASSERT_EQ(stored.size(), 1u);
  const record::Gate& kept = stored[0].gate;
  EXPECT_EQ(kept.id, report.gate.id);
  EXPECT_EQ(kept.mode, record::GateMode::runs);
  EXPECT_EQ(kept.baseline, "label:old");
  EXPECT_EQ(kept.baseline_run, "20261120T120000Z-aaaaaa");
  EXPECT_EQ(kept.candidate_run, "20261120T130000Z-bbbbbb");
  EXPECT_EQ(kept.status, record::RunStatus::finished);
  EXPECT_EQ(kept.seed, 0u);
  EXPECT_FALSE(is_strict(kept));
  EXPECT_EQ(kept.cases, 1);
  EXPECT_FALSE(kept.aa);
  EXPECT_EQ(store::verdicts(results, kept.id).at(0).ratio, report.verdicts[0].ratio);
  EXPECT_TRUE(store::pairs(results, kept.id).empty()) << "no pairs are invented";
  for (const store::RunSummary& run : store::runs(results))
    EXPECT_TRUE(run.run.gate.empty()) << "runs stay as they were";
}

TEST_F(GateRuns, RemembersThatItIsStrict) {
  add({.id = "20261120T120000Z-aaaaaa", .label = "old"});
  add({.id = "20261120T130000Z-bbbbbb", .label = "new", .commit = "def456"});
  gate::GateOptions options;
  options.strict = true;
  EXPECT_TRUE(is_strict(store::gates(store::Store::open(gate(options).file)).at(0).gate));
}

TEST_F(GateRuns, SaysWhatIsTheSameAndWhatChanged) {
  add({.id = "20261120T120000Z-aaaaaa", .label = "old"});
  add({.id = "20261120T130000Z-bbbbbb",
       .label = "new",
       .uuid = "GPU-0001",
       .comparable = {{"memory", "2 GiB"}}});
  const GateReport refused = gate();
  EXPECT_EQ(refused.verdicts.at(0).verdict, Verdict::invalid_environment);
  EXPECT_EQ(refused.exit_code, undecided) << "nothing was decided, which is no pass";
  EXPECT_TRUE(is_noted(
      refused, "the comparable environment changed: memory 1 GiB -> 2 GiB; no time was judged"));
  EXPECT_TRUE(is_noted(refused, "two devices of one model: GPU-0000 -> GPU-0001"));
  EXPECT_TRUE(is_noted(refused, "both sides ran the same code"));
  EXPECT_TRUE(is_noted(refused, "--baseline-worker OLD --candidate-worker NEW"))
      << "one commit is no two refs";
  EXPECT_TRUE(refused.gate.aa);
  EXPECT_TRUE(refused.repeat.empty());
  gate::GateOptions accepting;
  accepting.accept_changes = true;
  EXPECT_EQ(gate(accepting).verdicts.at(0).verdict, Verdict::pass);
  EXPECT_EQ(gate(accepting).exit_code, fine);
}

TEST_F(GateRuns, RepeatsNothingWhereCommitsDoNotSayAll) {
  add({.id = "20261120T120000Z-aaaaaa", .label = "old"});
  add({.id = "20261120T130000Z-bbbbbb",
       .label = "new",
       .median_ns = 1.1e5,
       .commit = "def456",
       .dirty = true});
  const GateReport report = gate();
  EXPECT_EQ(report.exit_code, regression);
  EXPECT_EQ(report.repeat, "") << "the candidate measured alone would compare nothing";
  EXPECT_TRUE(is_noted(report, "--baseline-worker OLD --candidate-worker NEW"));
  EXPECT_TRUE(is_noted(report, "built from def456 with local changes"));
}

TEST_F(GateRuns, TakesPatternsRulesAndDeltas) {
  add({.id = "20261120T120000Z-aaaaaa", .label = "old", .variants = {"naive", "tiled"}});
  add({.id = "20261120T130000Z-bbbbbb",
       .label = "new",
       .median_ns = 1.1e5,
       .variants = {"tiled", "wide"}});
  const GateReport all = gate();
  ASSERT_EQ(all.verdicts.size(), 3u);
  EXPECT_EQ(all.verdicts[0].verdict, Verdict::regression);
  EXPECT_EQ(all.verdicts[1].verdict, Verdict::missing);
  EXPECT_EQ(all.verdicts[2].verdict, Verdict::new_case);
  EXPECT_EQ(all.exit_code, not_all_measured);
  gate::GateOptions options;
  options.patterns = {"gemm/tiled", "*wide*"};
  EXPECT_EQ(gate(options).verdicts.size(), 2u);
  EXPECT_EQ(gate(options).exit_code, regression);
  options.delta = 0.2;
  EXPECT_EQ(gate(options).verdicts.at(1).verdict, Verdict::pass);
  EXPECT_EQ(gate(options).exit_code, fine);
  options.patterns = {"gemm/tilde"};
  EXPECT_NE(refusal([&] { gate(options); }, ErrorKind::usage).find("gemm/tilde"),
            std::string::npos);
}

TEST_F(GateRuns, RefusesWhatIsNoComparison) {
  add({.id = "20261120T120000Z-aaaaaa", .label = "old"});
  EXPECT_NE(refusal([&] { gate(); }, ErrorKind::usage).find("no run in"), std::string::npos);
  add({.id = "20261120T130000Z-bbbbbb",
       .label = "new",
       .model = "synthetic-other",
       .uuid = "other"});
  EXPECT_NE(refusal([&] { gate(); }, ErrorKind::usage).find("a gate compares one device model"),
            std::string::npos);
  add({.id = "20261120T140000Z-cccccc", .label = "same"});
  gate::GateOptions options;
  options.baseline = "label:same";
  options.candidate = "20261120T140000Z-cccccc";
  EXPECT_NE(refusal([&] { run(options); }, ErrorKind::usage).find("against itself"),
            std::string::npos);
  EXPECT_TRUE(store::gates(store::Store::open(folder / "synthetic-gpu.sqlite")).empty())
      << "nothing is stored of a refusal";
}

TEST_F(GateRuns, RefusesRunsOfTwoFiles) {
  add({.id = "20261120T120000Z-aaaaaa", .label = "old"});
  add({.id = "20261120T130000Z-bbbbbb", .label = "new", .file = "synthetic-copy"});
  EXPECT_NE(refusal([&] { gate(); }, ErrorKind::usage).find("stored beside both of its runs"),
            std::string::npos);
}

/// The exit code of a child that does `action` without the superuser's rights.
int as_nobody(const std::function<int()>& action) {
  const pid_t child = fork();
  if (child == 0) {
    constexpr uid_t nobody = 65534;
    if (geteuid() == 0 && (setgid(nobody) != 0 || setuid(nobody) != 0)) _exit(100);
    try {
      _exit(action());
    } catch (const Error& error) {
      _exit(error.exit_code());
    }
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 101;
}

TEST_F(GateRuns, SaysWhenItCannotBeStored) {
  add({.id = "20261120T120000Z-aaaaaa", .label = "old"});
  add({.id = "20261120T130000Z-bbbbbb", .label = "new"});
  fs::permissions(folder.path(), fs::perms(0555));
  EXPECT_EQ(as_nobody([&] { return gate().exit_code; }), static_cast<int>(ErrorKind::store));
  fs::permissions(folder.path(), fs::perms(0755));
  EXPECT_EQ(gate().exit_code, fine);
}

}  // namespace gate_runs_test
}  // namespace ridgeline::present
