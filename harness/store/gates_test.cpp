#include <functional>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/store/gate_fixture.hpp"
#include "harness/store/integrity_fixture.hpp"

namespace ridgeline::store {
namespace gates_test {

using record::Outcome;
using record::RunStatus;

constexpr const char* later = "2026-11-20T13:30:00Z";

TEST_F(Gates, AGateComesBackAsItWasStored) {
  const std::vector<GateSummary> gates = store::gates(store);
  ASSERT_EQ(gates.size(), 1u);
  const record::Gate& back = gates[0].gate;
  EXPECT_EQ(back.id, gate.id);
  EXPECT_EQ(back.device_uuid, gate.device_uuid);
  EXPECT_EQ(back.mode, gate.mode);
  EXPECT_EQ(back.baseline, gate.baseline);
  EXPECT_EQ(back.candidate, gate.candidate);
  EXPECT_EQ(back.baseline_run, gate.baseline_run);
  EXPECT_EQ(back.candidate_run, gate.candidate_run);
  EXPECT_EQ(back.command_line, gate.command_line);
  EXPECT_EQ(back.options, gate.options);
  EXPECT_EQ(back.rules_text, gate.rules_text);
  EXPECT_EQ(back.seed, gate.seed);
  EXPECT_EQ(back.alpha, gate.alpha);
  EXPECT_EQ(back.cases, gate.cases);
  EXPECT_EQ(back.aa, gate.aa);
  EXPECT_EQ(back.started, gate.started);
  EXPECT_EQ(back.finished, "");
  EXPECT_EQ(back.status, RunStatus::running);
  EXPECT_EQ(gates[0].device.model, examples::device().model);
  EXPECT_TRUE(gates[0].verdicts.empty());
  for (const RunSummary& side : store::runs(store)) EXPECT_EQ(side.run.gate, gate.id);
  EXPECT_NO_THROW(store::check_integrity(store));
}

TEST_F(Gates, ItsSidesAreRunsWhoseSamplesAreKept) {
  measure(gate.candidate_run, 3);
  const auto all = store::measurements(store, gate.candidate_run, Samples::read);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].replicate, 3);
  EXPECT_EQ(all[0].measurement.samples_ns, examples::measurement(info).samples_ns);
  for (const RunSummary& side : store::runs(store))
    EXPECT_EQ(side.last_process,
              side.run.id == gate.candidate_run ? examples::process().started : "");
}

TEST_F(Gates, PairsComeBackByRoundWithTheMediansOfTheirMeasurements) {
  record::Measurement slow = examples::measurement(info, {100, 130, 140});
  slow.outcome = Outcome::invalid_environment;
  slow.reason = "throttled";
  record::Pair second = examples::pair(info, 1);
  second.baseline_first = false;
  second.candidate_ns = 130;
  second.dropped = {"", "throttled"};
  add(store, gate.id, second, measure(gate.baseline_run, 1), measure(gate.candidate_run, slow, 1));
  add(store, gate.id, examples::pair(info, 0), measure(gate.baseline_run),
      measure(gate.candidate_run));

  const std::vector<record::Pair> pairs = store::pairs(store, gate.id);
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].case_name, record::name(info.id));
  EXPECT_EQ(pairs[0].round, 0);
  EXPECT_TRUE(pairs[0].baseline_first);
  EXPECT_FALSE(pairs[0].dropped.any());
  EXPECT_EQ(pairs[1].round, 1);
  EXPECT_FALSE(pairs[1].baseline_first);
  EXPECT_EQ(pairs[1].baseline_ns, 110);
  EXPECT_EQ(pairs[1].candidate_ns, 130);
  EXPECT_EQ(pairs[1].dropped, second.dropped);
  EXPECT_NO_THROW(store::check_integrity(store));
}

TEST_F(Gates, PairsThatAreNotOfTheirGateAreRefusedWhole) {
  const record::Case other = examples::gemm_case("tiled");
  begin(store, examples::run(), examples::device(), examples::environment());
  const std::int64_t a = measure(gate.baseline_run), b = measure(gate.candidate_run);
  const std::int64_t elsewhere = measure(examples::run().id), a2 = measure(gate.baseline_run, 1),
                     b2 = measure(gate.candidate_run, 1);
  const std::int64_t failed =
      measure(gate.candidate_run, examples::failed(info, Outcome::crashed, "signal 9"));
  record::Measurement disturbed = examples::measurement(info);
  disturbed.outcome = Outcome::invalid_environment;
  disturbed.reason = "a neighbour on the GPU";
  const std::int64_t spoiled = measure(gate.candidate_run, disturbed);
  add(store, gate.id, examples::pair(info, 0), a, b);

  const char *its_runs = "pair_is_of_the_two_runs", *times = "pair_has_two_times",
             *once = "pair.gate_id, pair.case_name, pair.round";
  const std::tuple<const char*, std::function<void()>> table[] = {
      {once, [&] { add(store, gate.id, examples::pair(info, 0), a2, b2); }},
      {"pair.baseline_measurement", [&] { add(store, gate.id, examples::pair(info, 1), a, b2); }},
      {"pair.candidate_measurement", [&] { add(store, gate.id, examples::pair(info, 1), a2, b); }},
      {its_runs, [&] { add(store, gate.id, examples::pair(info, 1), elsewhere, b2); }},
      {its_runs, [&] { add(store, gate.id, examples::pair(info, 1), a2, elsewhere); }},
      {its_runs, [&] { add(store, gate.id, examples::pair(info, 1), b2, a2); }},
      {its_runs, [&] { add(store, gate.id, examples::pair(info, 1), a2, 999); }},
      {its_runs, [&] { add(store, gate.id, examples::pair(other, 1), a2, b2); }},
      {its_runs, [&] { add(store, "nobody", examples::pair(info, 1), a2, b2); }},
      {times, [&] { add(store, gate.id, examples::pair(info, 1), a2, failed); }},
      {times, [&] { add(store, gate.id, examples::pair(info, 1), a2, spoiled); }},
      {"round_is_counted", [&] { add(store, gate.id, examples::pair(info, -1), a2, b2); }},
  };
  for (const auto& [constraint, add] : table) {
    const std::string what = refusal(add);
    EXPECT_NE(what.find(constraint), std::string::npos) << constraint << ": " << what;
    EXPECT_EQ(store::pairs(store, gate.id).size(), 1u) << constraint;
  }
  record::Pair untrue = examples::pair(info, 1);
  untrue.candidate_ns *= 1.5;
  EXPECT_THROW(add(store, gate.id, untrue, a2, b2), Error);
  add(store, gate.id, examples::pair(info, 1), a2, b2);
  EXPECT_EQ(store::pairs(store, gate.id).size(), 2u);
}

TEST_F(Gates, BadGatesAreRefused) {
  const record::Gate good = examples::gate("20261120T140000Z-9a7e01", "2026-11-20T14:00:00Z");
  begin_sides(good);
  using Spoil = std::function<void(record::Gate&)>;
  const char* sides = "gate_measures_two_runs_on_one_device";
  const std::pair<const char*, Spoil> table[] = {
      {"gate.id", [this](auto& g) { g = gate; }},
      {sides, [](auto& g) { g.candidate_run = g.baseline_run; }},
      {sides, [this](auto& g) { g.baseline_run = gate.baseline_run; }},
      {sides, [](auto& g) { g.candidate_run = "nobody"; }},
      {sides, [](auto& g) { g.id = "a'b"; }},
      {"FOREIGN KEY",
       [](auto& g) {
         g.mode = record::GateMode::runs;
         g.baseline_run = "nobody";
       }},
      {"gate_id_is_plain",
       [](auto& g) {
         g.mode = record::GateMode::runs;
         g.id = "a'b";
       }},
      {"gate_options_are_json", [](auto& g) { g.options = "{"; }},
      {"alpha_is_a_probability", [](auto& g) { g.alpha = 0; }},
      {"alpha_is_a_probability", [](auto& g) { g.alpha = 1; }},
      {"gate_cases_are_counted", [](auto& g) { g.cases = -1; }},
      {"gate_started_is_utc", [](auto& g) { g.started = "yesterday"; }},
  };
  for (const auto& [constraint, spoil] : table) {
    record::Gate bad = good;
    spoil(bad);
    const std::string what = refusal([&] { begin(store, bad); });
    EXPECT_NE(what.find(constraint), std::string::npos) << constraint << ": " << what;
    EXPECT_EQ(store::gates(store).size(), 1u) << constraint;
  }
  record::Gate elsewhere = good;
  elsewhere.device_uuid = "GPU-elsewhere";
  EXPECT_THROW(begin(store, elsewhere), Error);
  begin(store, good);
  EXPECT_EQ(store::gates(store)[0].gate.id, good.id) << "newest first";
}

TEST_F(Gates, BeginWithBothOfTheirRunsOrNotAtAll) {
  const std::size_t before = store::runs(store).size();
  record::Gate next = examples::gate("20261120T150000Z-9a7e02", "2026-11-20T15:00:00Z");
  const auto begin_all = [&] {
    begin(store, next, examples::side(next, next.baseline_run),
          examples::side(next, next.candidate_run), examples::device(), examples::environment());
  };
  next.alpha = 0;  // refused when both runs have been written
  EXPECT_NE(refusal(begin_all).find("alpha_is_a_probability"), std::string::npos);
  EXPECT_EQ(store::runs(store).size(), before);
  EXPECT_EQ(store::gates(store).size(), 1u);
  next.alpha = 0.01;
  begin_all();
  EXPECT_EQ(store::runs(store).size(), before + 2);
  EXPECT_EQ(store::gates(store).at(0).gate.id, next.id);
  begin(store, examples::run(), examples::device(),
        examples::environment());  // nothing of it is left open
}

TEST_F(Gates, OfTwoDevicesNothingIsMeasured) {
  const record::Gate two = examples::gate("two");
  begin(store, examples::side(two, two.baseline_run), examples::device(), examples::environment());
  record::Device other = examples::device();
  other.uuid = "GPU-0001";
  record::Run candidate = examples::side(two, two.candidate_run);
  candidate.device_uuid = other.uuid;
  begin(store, candidate, other, examples::environment());
  record::Gate wrong = two;
  wrong.device_uuid = other.uuid;
  EXPECT_NE(refusal([&] { begin(store, wrong); }).find("on_one_device"), std::string::npos);
}

TEST_F(Gates, StoredRunsAreComparedWithoutPairs) {
  for (const char* id : {"before", "after"})
    begin(store, examples::run(id), examples::device(), examples::environment());
  record::Gate stored = examples::gate("stored");
  stored.mode = record::GateMode::runs;
  stored.options = "";
  stored.baseline_run = "before";
  stored.candidate_run = "after";
  begin(store, stored);
  const std::int64_t a = measure("before"), b = measure("after");
  EXPECT_NE(refusal([&] {
              add(store, "stored", examples::pair(info), a, b);
            }).find("pair_is_of_the_two_runs"),
            std::string::npos);
  add(store, "stored", examples::pass(info));
  finish_gate(store, "stored", RunStatus::finished, later);
  EXPECT_EQ(status_of("before"), RunStatus::running) << "the gate did not measure it";
}

TEST_F(Gates, OfStoredRunsAreStoredWithTheirVerdictsOrNotAtAll) {
  for (const char* id : {"before", "after"})
    begin(store, examples::run(id), examples::device(), examples::environment());
  record::Gate gate = examples::gate("stored");
  gate.mode = record::GateMode::runs;
  gate.baseline_run = "before";
  gate.candidate_run = "after";
  gate.status = RunStatus::finished;
  gate.finished = later;
  record::CaseVerdict wrong = examples::pass(info);
  wrong.pairs = -1;
  EXPECT_ANY_THROW(add(store, gate, {examples::pass(info), wrong}));
  const std::size_t others = gates(store).size();
  EXPECT_TRUE(verdicts(store, "stored").empty());
  add(store, gate, {examples::pass(info)});
  EXPECT_EQ(gates(store).size(), others + 1) << "nothing was left of the first try";
  EXPECT_EQ(verdicts(store, "stored").size(), 1u);
}

TEST_F(Gates, GetOtherOptionsWhileTheyMeasure) {
  set_options(store, gate.id, R"({"forecast":7})");
  EXPECT_EQ(store::gates(store)[0].gate.options, R"({"forecast":7})");
  EXPECT_ANY_THROW(set_options(store, gate.id, "no JSON"));
  EXPECT_NE(refusal([&] { set_options(store, "nobody", "{}"); }).find("no such gate"),
            std::string::npos);
}

TEST_F(Gates, EndTogetherWithTheRunsThatTheyMeasured) {
  begin(store, examples::run(), examples::device(), examples::environment());
  finish_gate(store, gate.id, RunStatus::interrupted, later);
  EXPECT_EQ(store::gates(store)[0].gate.status, RunStatus::interrupted);
  EXPECT_EQ(store::gates(store)[0].gate.finished, later);
  EXPECT_EQ(status_of(gate.baseline_run), RunStatus::interrupted);
  EXPECT_EQ(status_of(gate.candidate_run), RunStatus::interrupted);
  EXPECT_EQ(status_of(examples::run().id), RunStatus::running) << "not a side of it";
  EXPECT_NE(refusal([&] {
              finish_gate(store, gate.id, RunStatus::finished, later);
            }).find("no such gate is running"),
            std::string::npos);

  resume_gate(store, gate.id);
  EXPECT_EQ(store::gates(store)[0].gate.status, RunStatus::running);
  EXPECT_EQ(store::gates(store)[0].gate.finished, "");
  EXPECT_EQ(status_of(gate.candidate_run), RunStatus::running);
  resume_gate(store, gate.id);  // a killed one says running
  EXPECT_THROW(finish_gate(store, gate.id, RunStatus::finished, "soon"), Error);
  EXPECT_EQ(status_of(gate.candidate_run), RunStatus::running) << "refused whole";
  finish_gate(store, gate.id, RunStatus::finished, later);
  EXPECT_NE(refusal([&] { resume_gate(store, gate.id); }).find("no such gate is unfinished"),
            std::string::npos);
  EXPECT_NE(refusal([&] { resume_gate(store, "nobody"); }).find("gate nobody"), std::string::npos);
  refusal([&] { finish_gate(store, "nobody", RunStatus::finished, later); });
  EXPECT_EQ(status_of(gate.candidate_run), RunStatus::finished);
}

TEST_F(Gates, TextIsBoundNeverSplicedAndGarbageIsEscaped) {
  record::Gate evil = examples::gate("evil");
  evil.baseline = "'); DROP TABLE gate; --";
  evil.candidate = std::string("\xFF\0", 2);
  begin_sides(evil);
  begin(store, evil);
  record::CaseVerdict verdict = examples::pass(info);
  verdict.case_name = "' OR 1=1 --";
  add(store, "evil", verdict);
  EXPECT_EQ(store::gates(store)[1].gate.id, gate.id);
  EXPECT_EQ(store::gates(store)[0].gate.baseline, evil.baseline);
  EXPECT_EQ(store::gates(store)[0].gate.candidate, "\\xff\\x00");
  EXPECT_EQ(store::verdicts(store, "evil")[0].case_name, verdict.case_name);
  EXPECT_TRUE(store::verdicts(store, "' OR 1=1 --").empty());
}

TEST_F(Gates, WhatDoesNotExistIsEmpty) {
  EXPECT_TRUE(store::pairs(store, "nobody").empty());
  EXPECT_TRUE(store::verdicts(store, "nobody").empty());
}

}  // namespace gates_test
}  // namespace ridgeline::store
