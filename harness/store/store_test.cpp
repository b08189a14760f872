#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/integrity_fixture.hpp"
#include "harness/store/read_runs.hpp"
#include "harness/store/write_gate.hpp"
#include "harness/store/write_run.hpp"

namespace ridgeline::store {
namespace store_test {

using record::Outcome;

class Results : public testing::Test {
 protected:
  Results() { begin(store, run, examples::device(), examples::environment()); }

  record::Run run = examples::run();
  Store store = Store::in_memory();
};

TEST_F(Results, ARunComesBackAsItWasStored) {
  std::vector<RunSummary> runs = store::runs(store);
  ASSERT_EQ(runs.size(), 1u);
  const record::Run& back = runs[0].run;
  EXPECT_EQ(back.id, run.id);
  EXPECT_EQ(back.device_uuid, run.device_uuid);
  EXPECT_EQ(back.label, run.label);
  EXPECT_EQ(back.command_line, run.command_line);
  EXPECT_EQ(back.profile, run.profile);
  EXPECT_EQ(back.profile_text, run.profile_text);
  EXPECT_EQ(back.seed, run.seed);
  EXPECT_EQ(back.started, run.started);
  EXPECT_EQ(back.finished, "");
  EXPECT_EQ(back.status, record::RunStatus::running);
  const record::Device device = examples::device();
  EXPECT_EQ(runs[0].device.id, device.id);
  EXPECT_EQ(runs[0].device.model, device.model);
  EXPECT_EQ(runs[0].device.properties, device.properties);
  EXPECT_EQ(runs[0].device.comparable, device.comparable);
  EXPECT_EQ(runs[0].device.recorded, device.recorded);
  EXPECT_EQ(store::environment(store, run.id).hash, "e1");
  EXPECT_EQ(store::environment(store, run.id).recorded, examples::environment().recorded);

  finish(store, run.id, record::RunStatus::interrupted, "2026-11-20T12:50:00Z");
  runs = store::runs(store);
  EXPECT_EQ(runs[0].run.status, record::RunStatus::interrupted);
  EXPECT_EQ(runs[0].run.finished, "2026-11-20T12:50:00Z");
}

TEST_F(Results, AMeasurementComesBackAsItWasStored) {
  record::Case info = examples::gemm_case();
  info.id.options = {{"cache", "hot"}};
  const record::Measurement stored = examples::measurement(info);
  const std::int64_t process = add(store, examples::process(2));
  const std::int64_t id = add(store, process, info, stored);

  const std::vector<StoredMeasurement> all = store::measurements(store, run.id, Samples::read);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].id, id);
  EXPECT_EQ(all[0].process_id, process);
  EXPECT_EQ(all[0].replicate, 2);
  EXPECT_EQ(all[0].case_info.id, info.id);
  EXPECT_EQ(all[0].case_info.device_kind, info.device_kind);
  EXPECT_EQ(all[0].case_info.idea, info.idea);
  EXPECT_EQ(all[0].case_info.flops, info.flops);
  EXPECT_EQ(all[0].case_info.bytes, info.bytes);
  const record::Measurement& back = all[0].measurement;
  EXPECT_EQ(back.case_name, "gemm/naive/f32/m=64,n=64,k=64,cache=hot");
  EXPECT_EQ(back.outcome, Outcome::ok);
  EXPECT_EQ(back.attempt, 1);
  EXPECT_EQ(back.samples_ns, stored.samples_ns);
  EXPECT_EQ(back.executions_per_sample, stored.executions_per_sample);
  EXPECT_EQ(back.median_ns, stored.median_ns);
  EXPECT_EQ(back.relative_spread, stored.relative_spread);
  EXPECT_EQ(back.verification->error, stored.verification->error);
  EXPECT_EQ(back.verification->tolerance, stored.verification->tolerance);
  EXPECT_EQ(back.verification->checked, Checked::by_variant);
  EXPECT_EQ(back.settled, false);
  EXPECT_EQ(back.flops, stored.flops);
  EXPECT_EQ(back.bytes, stored.bytes);
  EXPECT_EQ(back.launch, "loop");
  EXPECT_EQ(back.cache, "cold");
  EXPECT_EQ(back.buffer_sets, 3);
  EXPECT_EQ(back.seed, stored.seed);
  EXPECT_EQ(back.prepare_ns, 1e6);
  EXPECT_EQ(back.verify_ns, 2e6);
  EXPECT_EQ(back.warmup_ns, 3e6);
  EXPECT_EQ(back.timed_ns, 4e6);
  EXPECT_EQ(back.total_ns, 1e7);
  EXPECT_EQ(back.telemetry.sm_clock_mhz, 1980);
  EXPECT_EQ(back.telemetry.power_w, std::nullopt);
  EXPECT_EQ(back.telemetry.other_processes, 0);
  ASSERT_EQ(back.metrics.size(), 1u);
  EXPECT_EQ(back.metrics[0].name, "sectors_per_request");
  EXPECT_EQ(back.metrics[0].value, 4);
  EXPECT_EQ(back.metrics[0].unit, "sectors");
  EXPECT_EQ(back.metrics[0].direction, record::Direction::lower);
  ASSERT_EQ(store::builds(store, run.id).size(), 1u);
  EXPECT_EQ(store::builds(store, run.id)[0].commit, "abc123");
  EXPECT_TRUE(store::builds(store, run.id)[0].dirty);
  EXPECT_NO_THROW(store::check_integrity(store));
}

TEST_F(Results, SamplesAreReadOnlyWhenAskedFor) {
  add(store, add(store, examples::process()), examples::gemm_case(),
      examples::measurement(examples::gemm_case()));
  EXPECT_TRUE(
      store::measurements(store, run.id, Samples::leave_out)[0].measurement.samples_ns.empty());
}

TEST_F(Results, OutcomesAreCounted) {
  const std::int64_t process = add(store, examples::process());
  add(store, process, examples::gemm_case("naive"),
      examples::measurement(examples::gemm_case("naive")));
  add(store, process, examples::gemm_case("tiled"),
      examples::measurement(examples::gemm_case("tiled")));
  add(store, process, examples::gemm_case("wmma"),
      examples::failed(examples::gemm_case("wmma"), Outcome::crashed, "gone"));
  add(store, add(store, examples::process(1)), examples::gemm_case(),
      examples::measurement(examples::gemm_case()));
  const RunSummary summary = store::runs(store)[0];
  EXPECT_EQ(summary.measurements, 4);
  EXPECT_EQ(summary.outcomes, (std::vector<std::pair<Outcome, std::int64_t>>{
                                  {Outcome::ok, 3}, {Outcome::crashed, 1}}));
}

TEST_F(Results, TimesAreInTheOrderStored) {
  const std::int64_t first = add(store, examples::process()),
                     second = add(store, examples::process(1));
  const record::Case naive = examples::gemm_case("naive"), tiled = examples::gemm_case("tiled");
  const std::vector<std::int64_t> ids{
      add(store, second, naive, examples::measurement(naive)),
      add(store, first, tiled, examples::measurement(tiled)),
      add(store, first, naive, examples::failed(naive, Outcome::crashed, "gone"))};
  std::vector<std::int64_t> found;
  for (const Timing& timing : store::timings(store, run.id).timings) found.push_back(timing.id);
  EXPECT_EQ(found, ids);
}

TEST_F(Results, RunsAreListedNewestFirst) {
  begin(store, examples::run("20261121T000000Z-1", "2026-11-21T00:00:00Z"), examples::device(),
        examples::environment());
  begin(store, examples::run("20261119T000000Z-1", "2026-11-19T00:00:00Z"), examples::device(),
        examples::environment());
  const std::vector<RunSummary> runs = store::runs(store);
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[0].run.id, "20261121T000000Z-1");
  EXPECT_EQ(runs[2].run.id, "20261119T000000Z-1");
}

TEST_F(Results, AnErrorThatIsNoNumberStaysOne) {
  record::Measurement wrong =
      examples::failed(examples::gemm_case(), Outcome::wrong_result, "NaN at row 3");
  wrong.verification = record::Verification{std::numeric_limits<double>::quiet_NaN(), 1e-5};
  add(store, add(store, examples::process()), examples::gemm_case(), wrong);
  const record::Measurement back = store::measurements(store, run.id, Samples::read)[0].measurement;
  ASSERT_TRUE(back.verification.has_value());
  EXPECT_TRUE(std::isnan(back.verification->error));
  EXPECT_FALSE(back.verification->right());
}

TEST_F(Results, WhatNobodySaidStaysUnknown) {
  record::Measurement silent = examples::measurement(examples::gemm_case());
  silent.verification->checked.reset();
  silent.settled.reset();
  add(store, add(store, examples::process()), examples::gemm_case(), silent);
  const record::Measurement back = store::measurements(store, run.id, Samples::read)[0].measurement;
  EXPECT_EQ(back.verification.value().checked, std::nullopt);
  EXPECT_EQ(back.settled, std::nullopt);
}

TEST_F(Results, TheLimitOfTheSpreadIsAPositiveNumberOrUnknown) {
  EXPECT_EQ(store::runs(store)[0].run.unstable, 0.05);
  record::Run other = examples::run("20270101T000000Z-1", "2027-01-01T00:00:00Z");
  other.unstable.reset();
  begin(store, other, examples::device(), examples::environment());
  EXPECT_EQ(store::runs(store)[0].run.unstable, std::nullopt);
  for (const double wrong : {0.0, -0.5}) {
    record::Run bad = examples::run("20270102T000000Z-1");
    bad.unstable = wrong;
    EXPECT_THROW(begin(store, bad, examples::device(), examples::environment()), Error) << wrong;
  }
}

TEST_F(Results, GarbageInAReasonIsEscapedAndCostsNothing) {
  const std::string garbage("bad \xFF\0 byte", 11);
  add(store, add(store, examples::process()), examples::gemm_case(),
      examples::failed(examples::gemm_case(), Outcome::crashed, garbage));
  EXPECT_EQ(store::measurements(store, run.id, Samples::read)[0].measurement.reason,
            "bad \\xff\\x00 byte");
}

TEST_F(Results, TextIsBoundNeverSpliced) {
  record::Run evil = examples::run("evil");
  evil.label = "'); DROP TABLE run; --";
  begin(store, evil, examples::device(), examples::environment());
  EXPECT_EQ(store::runs(store)[0].run.label, evil.label);
}

TEST_F(Results, ACaseThatIsStatedAnewKeepsTheOldStatementForOldRuns) {
  record::Case info = examples::gemm_case();
  const std::int64_t process = add(store, examples::process());
  add(store, process, info, examples::measurement(info));
  info.idea = "another idea";
  add(store, add(store, examples::process(1)), info, examples::measurement(info));
  const auto all = store::measurements(store, run.id, Samples::leave_out);
  EXPECT_EQ(all[0].case_info.idea, "one thread an element");
  EXPECT_EQ(all[1].case_info.idea, "another idea");
}

TEST_F(Results, ARoofThatIsAddedAgainIsReplaced) {
  add(store, run.id, {"dram.copy", 1e9, "B/s", "measured"});
  add(store, run.id, {"dram.copy", 2e9, "B/s", "measured"});
  add(store, run.id, {"dram", 3e9, "B/s", "datasheet"});
  const auto roofs = store::roofs(store, run.id);
  ASSERT_EQ(roofs.size(), 2u);
  EXPECT_EQ(roofs[1].value, 2e9);
}

TEST_F(Results, ARunThatIsResumedRunsAgainWithoutTheRoofsItMeasured) {
  add(store, run.id, {"dram.copy", 1e9, "B/s", "measured"});
  add(store, run.id, {"dram.read", 1e9, "B/s", "measured, unsteady"});
  add(store, run.id, {"dram", 3e9, "B/s", "datasheet"});
  finish(store, run.id, record::RunStatus::interrupted, "2027-01-01T00:00:00Z");
  resume(store, run.id);
  EXPECT_EQ(store::runs(store)[0].run.status, record::RunStatus::running);
  EXPECT_EQ(store::runs(store)[0].run.finished, "");
  ASSERT_EQ(store::roofs(store, run.id).size(), 1u);
  EXPECT_EQ(store::roofs(store, run.id)[0].kind, "dram");
  resume(store, run.id);  // a killed one says running
  EXPECT_THROW(resume(store, "nobody"), Error);
  const record::Gate gate = examples::gate();
  begin(store, gate, examples::side(gate, gate.baseline_run),
        examples::side(gate, gate.candidate_run), examples::device(), examples::environment());
  EXPECT_THROW(resume(store, gate.candidate_run), Error) << "a gate resumes its own";
}

TEST_F(Results, AFileHoldsOneModel) {
  record::Device other = examples::device();
  other.model = "synthetic-other";
  record::Run second = examples::run("second");
  EXPECT_THROW(begin(store, second, other, examples::environment()), Error);
  EXPECT_EQ(store::runs(store).size(), 1u);
}

/// What a row breaks, how, and the word of the constraint that must catch it.
struct BadMeasurement {
  const char* constraint;
  std::function<void(record::Measurement&)> spoil;
};

TEST_F(Results, BadMeasurementsAreRefusedWhole) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<BadMeasurement> table{
      {"samples_go_with", [](auto& m) { m.outcome = Outcome::crashed; }},
      {"samples_go_with",
       [](auto& m) {
         m.samples_ns.clear();
         m.median_ns.reset();
       }},
      {"median_goes_with_samples", [](auto& m) { m.median_ns.reset(); }},
      {"median_is_positive", [](auto& m) { m.median_ns = 0; }},
      {"samples", [](auto& m) { m.samples_ns[1] = -1; }},
      {"samples", [](auto& m) { m.samples_ns[1] = 0; }},
      {"samples", [nan](auto& m) { m.samples_ns[1] = nan; }},
      {"median_ns", [nan](auto& m) { m.median_ns = nan; }},
      {"only_right_results", [](auto& m) { m.verification->error = 1; }},
      {"only_right_results", [nan](auto& m) { m.verification->error = nan; }},
      {"ok_needs_no_reason", [](auto& m) { m.reason = "because"; }},
      {"reason_is_given", [](auto& m) { m.outcome = Outcome::invalid_environment; }},
      {"attempt", [](auto& m) { m.attempt = 0; }},
      {"timed_ns", [](auto& m) { m.timed_ns = -1; }},
      {"metric", [](auto& m) { m.metrics.push_back(m.metrics[0]); }},
      {"value", [nan](auto& m) { m.metrics[0].value = nan; }},
  };
  const std::int64_t process = add(store, examples::process());
  for (const BadMeasurement& bad : table) {
    record::Measurement m = examples::measurement(examples::gemm_case());
    bad.spoil(m);
    try {
      add(store, process, examples::gemm_case(), m);
      ADD_FAILURE() << bad.constraint << " did not hold";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::store);
      EXPECT_NE(std::string(error.what()).find(bad.constraint), std::string::npos) << error.what();
    }
    EXPECT_TRUE(store::measurements(store, run.id, Samples::read).empty()) << bad.constraint;
  }
  add(store, process, examples::gemm_case(), examples::measurement(examples::gemm_case()));
  EXPECT_THROW(
      add(store, process, examples::gemm_case(), examples::measurement(examples::gemm_case())),
      Error);
  EXPECT_EQ(store::measurements(store, run.id, Samples::read).size(), 1u);
}

TEST_F(Results, BadRunsProcessesAndRoofsAreRefused) {
  EXPECT_THROW(begin(store, run, examples::device(), examples::environment()),
               Error);  // the id is taken
  EXPECT_THROW(begin(store, examples::run("a'b"), examples::device(), examples::environment()),
               Error);
  EXPECT_THROW(
      begin(store, examples::run("x", "yesterday"), examples::device(), examples::environment()),
      Error);
  EXPECT_THROW(finish(store, "nobody", record::RunStatus::finished, "2026-11-20T12:50:00Z"), Error);
  EXPECT_THROW(finish(store, run.id, record::RunStatus::finished, ""), Error);
  EXPECT_THROW(finish(store, run.id, record::RunStatus::running, "2026-11-20T12:50:00Z"), Error);
  EXPECT_THROW(add(store, examples::process(-1)), Error);
  EXPECT_THROW(add(store, examples::process(0, "nobody")), Error);
  EXPECT_THROW(add(store, 99, examples::gemm_case(), examples::measurement(examples::gemm_case())),
               Error);
  EXPECT_THROW(add(store, run.id, {"dram.copy", 0, "B/s", "measured"}), Error);
  EXPECT_THROW(
      add(store, run.id, {"dram.copy", std::numeric_limits<double>::infinity(), "B/s", "measured"}),
      Error);
  EXPECT_THROW(add(store, "nobody", {"dram.copy", 1, "B/s", "measured"}), Error);
  EXPECT_THROW(store::environment(store, "nobody"), Error);
  EXPECT_EQ(store::runs(store).size(), 1u);
  EXPECT_NO_THROW(store::check_integrity(store));
}

TEST_F(Results, WhatDoesNotExistIsEmpty) {
  EXPECT_TRUE(store::measurements(store, "nobody", Samples::read).empty());
  EXPECT_TRUE(store::roofs(store, "nobody").empty());
  EXPECT_TRUE(store::builds(store, "nobody").empty());
}

}  // namespace store_test
}  // namespace ridgeline::store
