// What a report says of a gate, of nights and of a comparison is what docs/report-format.md shows.

#include <string>

#include <gtest/gtest.h>

#include "harness/present/comparison.hpp"
#include "harness/present/documented_example.hpp"
#include "harness/present/shown_gate.hpp"
#include "harness/present/trend.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/read_gates.hpp"
#include "harness/store/read_runs.hpp"
#include "harness/store/temporary_folder.hpp"
#include "harness/store/write_gate.hpp"

namespace ridgeline::cli {
namespace report_format_test {

namespace examples = store::examples;

const std::string tiled = record::name(examples::gemm_case("tiled", 64).id);
const std::string naive = record::name(examples::gemm_case("naive", 64).id);
const std::string gone = record::name(examples::gemm_case("gone", 64).id);

/// A regression over two pairs, and a case that crashed, in a results file.
store::FoundGate stored_example(const store::TemporaryFolder& folder) {
  const store::FoundGate found{folder / "synthetic-gpu.sqlite", {}};
  record::Gate gate = examples::gate("20261120T125000Z-9a1b2c", "2026-11-20T12:50:00Z");
  gate.mode = record::GateMode::refs;
  gate.baseline = "main";
  gate.candidate = "HEAD";
  gate.command_line = "ridgeline gate --baseline-ref main --candidate-ref HEAD gemm";
  gate.rules_text.clear();
  gate.seed = 7;
  gate.cases = 2;
  const record::Case info = examples::gemm_case("tiled", 64);
  record::CaseVerdict slower = examples::pass(info), crashed;
  slower.verdict = record::Verdict::regression;
  slower.delta = 0.03;
  slower.baseline_ns = 40000;
  slower.candidate_ns = 44000;
  slower.ratio = 1.1;
  slower.ratio_low = 1.08;
  slower.ratio_high.reset();
  slower.pairs = slower.dropped = slower.dropped_candidate = 1;
  slower.noise = 0.002;
  slower.smallest_effect.reset();
  slower.p_value = 1e-5;
  slower.level = 1e-4;
  crashed.case_name = crashed.baseline_case = naive;
  crashed.verdict = record::Verdict::crashed;
  crashed.reason = "candidate: killed by signal 11 (Segmentation fault)";
  crashed.delta = 0.03;
  record::Pair kept = examples::pair(info, 0), dropped = examples::pair(info, 1);
  kept.baseline_first = true;
  kept.baseline_ns = 40000;
  kept.candidate_ns = 44000;
  dropped.baseline_first = false;
  dropped.baseline_ns = 40100;
  dropped.candidate_ns = 61000;
  dropped.dropped.candidate = "hw_thermal_slowdown";

  store::Store store = store::Store::create(found.file);
  for (const std::string& id : {gate.baseline_run, gate.candidate_run})
    store::begin(store, examples::side(gate, id), examples::device(), examples::environment());
  store::begin(store, gate);
  for (const record::Pair& pair : {kept, dropped}) {
    const auto measure = [&](const std::string& run, double ns) {
      return store::add(store, store::add(store, examples::process(pair.round, run)), info,
                        examples::measurement(info, {ns}));
    };
    const std::int64_t baseline = measure(gate.baseline_run, pair.baseline_ns),
                       candidate = measure(gate.candidate_run, pair.candidate_ns);
    store::add(store, gate.id, pair, baseline, candidate);
  }
  for (const record::CaseVerdict& verdict : {crashed, slower}) store::add(store, gate.id, verdict);
  store::finish_gate(store, gate.id, record::RunStatus::finished, "2026-11-20T12:52:00Z");
  return {found.file, store::gates(store).at(0)};
}

TEST(ReportFormat, AGateIsWhatThePageShows) {
  const store::TemporaryFolder folder;
  present::expect_documented("## Example of a gate", present::report_json(stored_example(folder)));
}

analysis::NightChanges between(std::size_t before, std::size_t after) {
  analysis::NightChanges changes;
  changes.before_commit = std::string(40, static_cast<char>('a' + before));
  changes.after_commit = std::string(40, static_cast<char>('a' + after));
  changes.before_run = "night" + std::to_string(before);
  changes.after_run = "night" + std::to_string(after);
  return changes;
}

analysis::TrendChange change(const std::string& name, analysis::TrendKind kind, std::size_t night,
                             double before, double after) {
  analysis::TrendChange made;
  made.case_name = name;
  made.kind = kind;
  made.night = made.earliest = made.latest = night;
  made.before = before;
  made.after = after;
  made.unit = "ns";
  made.ratio = {after / before - 0.01, after / before + 0.01};
  made.raised = 4;
  made.evidence = analysis::Evidence{2, 14, 1.5};
  made.changes = between(night - 1, night);
  return made;
}

/// Five nights, too few to tell anything in truth, with one of each thing that a trend can hold.
analysis::DeviceTrend nights() {
  analysis::DeviceTrend trend;
  trend.nights.device = examples::device();
  trend.nights.profile = "nightly";
  for (int day = 1; day <= 5; ++day)
    trend.nights.nights.push_back({"2026-01-0" + std::to_string(day), day, {}});
  trend.nights.cases = {
      {gone, {{"e1", {0, 1}, {500, 501}}}, {}, {}, 0},
      {naive, {{"e1", {0}, {1000}}, {"e2", {1, 2, 4}, {1001, 1003, 1200}}}, {}, {}, 0},
      {tiled, {{"e2", {1, 2, 3, 4}, {400, 441, 440, 442}}}, {}, {}, 0}};
  trend.nights.left_out = {{record::Outcome::unstable, 1}};
  trend.nights.other_runs = {{"of a gate", 2}};
  trend.series = 3;
  trend.too_short = 2;
  trend.least_step = 0.01;
  trend.environments = {{1, {"power_limit_w 300 -> 350"}, 1, 1.001}};
  trend.changes = {change(tiled, analysis::TrendKind::regression, 2, 400, 441)};
  trend.changes[0].is_new = true;
  trend.changes[0].why = analysis::Why{
      analysis::TrendCause::code, {"the commit changed", "nothing else that is recorded changed"}};
  analysis::FleetEvent event;
  event.kind = analysis::TrendKind::environment;
  event.night = 4;
  event.slower = 1;
  event.ratio = 1.2;
  event.members = {change(naive, analysis::TrendKind::environment, 4, 1000, 1200)};
  event.members[0].mode = true;
  event.changes = between(3, 4);
  event.changes.add(analysis::Area::machine, "driver 580.1 -> 580.2");
  event.why =
      analysis::Why{analysis::TrendCause::machine, {"driver 580.1 -> 580.2", "the commit changed"}};
  event.members[0].changes = event.changes;
  event.members[0].why = event.why;
  trend.fleet = {event};
  trend.drifts = {{naive, 0, 4, 1.02, {1.015, 1.025}, false, {}, between(0, 4), 4}};
  trend.stops = {{gone, 1, record::Outcome::crashed, true}};
  trend.older = 1;
  return trend;
}

TEST(ReportFormat, NightsAreWhatThePageShows) {
  present::expect_documented("## Example of nights", present::report_json(nights(), {}));
}

/// The run of a device of `model`, in a results file of its own.
store::FoundRun measured(const store::TemporaryFolder& folder, const std::string& model,
                         const std::string& id, double bandwidth, double tiled_ns) {
  store::Store store = store::Store::create(folder / (model + ".sqlite"));
  record::Device device = examples::device();
  device.model = model;
  store::begin(store, examples::run(id), device, examples::environment());
  store::add(store, id, {"dram.copy", bandwidth, "B/s", "measured"});
  for (int replicate = 0; replicate < 3; ++replicate) {
    const std::int64_t process = store::add(store, examples::process(replicate, id));
    record::Case info = examples::gemm_case("tiled", 64);
    info.flops = 5e5;
    info.bytes = 1e6;
    store::add(store, process, info, examples::measurement(info, {tiled_ns + replicate}));
    if (model != "synthetic-a") continue;
    const record::Case own = examples::gemm_case("own", 64);
    store::add(store, process, own, examples::measurement(own, {700}));
  }
  store::finish(store, id, record::RunStatus::finished, "2026-11-20T12:47:40Z");
  store::FoundRun found{folder / (model + ".sqlite"), store::runs(store).at(0)};
  return found;
}

TEST(ReportFormat, AComparisonIsWhatThePageShows) {
  const store::TemporaryFolder folder;
  const store::FoundRun a = measured(folder, "synthetic-a", "20261120T124501Z-aaaa", 1e12, 2000),
                        b = measured(folder, "synthetic-b", "20261120T124501Z-bbbb", 2e12, 1600);
  present::expect_documented("## Example of a comparison",
                             present::report_json(present::compare_runs({a, b, {}}, {}), {}));
}

}  // namespace report_format_test
}  // namespace ridgeline::cli
