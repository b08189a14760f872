#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/store.hpp"

namespace ridgeline::store {
namespace {

using record::Outcome;
using record::RunStatus;
using record::Verdict;

constexpr const char* later = "2026-11-20T13:30:00Z";

class Gates : public testing::Test {
 protected:
  Gates() {
    begin_sides(gate);
    store.begin(gate);
  }

  void begin_sides(const record::Gate& of) {
    for (const std::string& id : {of.baseline_run, of.candidate_run})
      store.begin(examples::side(of, id), examples::device(), examples::environment());
  }

  /// One measurement of a side of the gate.
  std::int64_t measure(const std::string& run_id, const record::Measurement& measurement, int round = 0) {
    return store.add(store.add(examples::process(round, run_id)), info, measurement);
  }
  std::int64_t measure(const std::string& run_id, int round = 0) {
    return measure(run_id, examples::measurement(info), round);
  }

  /// What of the store Error that `body` throws; fails when it throws none.
  std::string refusal(const std::function<void()>& body) {
    try {
      body();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::store) << error.what();
      return error.what();
    }
    ADD_FAILURE() << "not refused";
    return "";
  }

  RunStatus status_of(const std::string& run_id) {
    for (const RunSummary& summary : store.runs())
      if (summary.run.id == run_id) return summary.run.status;
    ADD_FAILURE() << "no run " << run_id;
    return RunStatus::failed;
  }

  const record::Gate gate = examples::gate();
  const record::Case info = examples::gemm_case();
  Store store = Store::in_memory();
};

TEST_F(Gates, AGateComesBackAsItWasStored) {
  const std::vector<GateSummary> gates = store.gates();
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
  for (const RunSummary& side : store.runs()) EXPECT_EQ(side.run.gate, gate.id);
  EXPECT_NO_THROW(store.check_integrity());
}

TEST_F(Gates, ItsSidesAreRunsWhoseSamplesAreKept) {
  measure(gate.candidate_run, 3);
  const auto all = store.measurements(gate.candidate_run, Samples::read);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].replicate, 3);
  EXPECT_EQ(all[0].measurement.samples_ns, examples::measurement(info).samples_ns);
  for (const RunSummary& side : store.runs())
    EXPECT_EQ(side.last_process, side.run.id == gate.candidate_run ? examples::process().started : "");
}

TEST_F(Gates, PairsComeBackByRoundWithTheMediansOfTheirMeasurements) {
  record::Measurement slow = examples::measurement(info, {100, 130, 140});
  slow.outcome = Outcome::invalid_environment;
  slow.reason = "throttled";
  record::Pair second = examples::pair(info, 1);
  second.baseline_first = false;
  second.candidate_ns = 130;
  second.dropped = "throttled";
  store.add(gate.id, second, measure(gate.baseline_run, 1), measure(gate.candidate_run, slow, 1));
  store.add(gate.id, examples::pair(info, 0), measure(gate.baseline_run), measure(gate.candidate_run));

  const std::vector<record::Pair> pairs = store.pairs(gate.id);
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_EQ(pairs[0].case_name, record::name(info.id));
  EXPECT_EQ(pairs[0].round, 0);
  EXPECT_TRUE(pairs[0].baseline_first);
  EXPECT_EQ(pairs[0].dropped, "");
  EXPECT_EQ(pairs[1].round, 1);
  EXPECT_FALSE(pairs[1].baseline_first);
  EXPECT_EQ(pairs[1].baseline_ns, 100);
  EXPECT_EQ(pairs[1].candidate_ns, 130);
  EXPECT_EQ(pairs[1].dropped, "throttled");
  EXPECT_NO_THROW(store.check_integrity());
}

TEST_F(Gates, PairsThatAreNotOfTheirGateAreRefusedWhole) {
  const record::Case other = examples::gemm_case("tiled");
  store.begin(examples::run(), examples::device(), examples::environment());
  const std::int64_t a = measure(gate.baseline_run), b = measure(gate.candidate_run);
  const std::int64_t elsewhere = measure(examples::run().id), a2 = measure(gate.baseline_run, 1),
                     b2 = measure(gate.candidate_run, 1);
  const std::int64_t failed = measure(gate.candidate_run, examples::failed(info, Outcome::crashed, "signal 9"));
  record::Measurement disturbed = examples::measurement(info);
  disturbed.outcome = Outcome::invalid_environment;
  disturbed.reason = "a neighbour on the GPU";
  const std::int64_t spoiled = measure(gate.candidate_run, disturbed);
  store.add(gate.id, examples::pair(info, 0), a, b);

  const char *its_runs = "pair_is_of_the_two_runs", *times = "pair_has_two_times",
             *once = "pair.gate_id, pair.case_name, pair.round";
  const std::tuple<const char*, std::function<void()>> table[] = {
      {once, [&] { store.add(gate.id, examples::pair(info, 0), a2, b2); }},
      {"pair.baseline_measurement", [&] { store.add(gate.id, examples::pair(info, 1), a, b2); }},
      {"pair.candidate_measurement", [&] { store.add(gate.id, examples::pair(info, 1), a2, b); }},
      {its_runs, [&] { store.add(gate.id, examples::pair(info, 1), elsewhere, b2); }},
      {its_runs, [&] { store.add(gate.id, examples::pair(info, 1), a2, elsewhere); }},
      {its_runs, [&] { store.add(gate.id, examples::pair(info, 1), b2, a2); }},
      {its_runs, [&] { store.add(gate.id, examples::pair(info, 1), a2, 999); }},
      {its_runs, [&] { store.add(gate.id, examples::pair(other, 1), a2, b2); }},
      {its_runs, [&] { store.add("nobody", examples::pair(info, 1), a2, b2); }},
      {times, [&] { store.add(gate.id, examples::pair(info, 1), a2, failed); }},
      {times, [&] { store.add(gate.id, examples::pair(info, 1), a2, spoiled); }},
      {"round_is_counted", [&] { store.add(gate.id, examples::pair(info, -1), a2, b2); }},
  };
  for (const auto& [constraint, add] : table) {
    const std::string what = refusal(add);
    EXPECT_NE(what.find(constraint), std::string::npos) << constraint << ": " << what;
    EXPECT_EQ(store.pairs(gate.id).size(), 1u) << constraint;
  }
  record::Pair untrue = examples::pair(info, 1);
  untrue.candidate_ns *= 1.5;
  EXPECT_THROW(store.add(gate.id, untrue, a2, b2), Error);
  store.add(gate.id, examples::pair(info, 1), a2, b2);
  EXPECT_EQ(store.pairs(gate.id).size(), 2u);
}

TEST_F(Gates, AVerdictComesBackAsItWasStoredAndIsReplaced) {
  record::CaseVerdict undecided;
  undecided.case_name = record::name(info.id);
  store.add(gate.id, undecided);
  record::CaseVerdict stored = examples::pass(info);
  stored.verdict = Verdict::regression;
  stored.baseline_case = "gemm/other/f32/m=64,n=64,k=64";
  stored.reason = "slower";
  stored.expected = true;
  stored.expectation = "a fix is on its way, until 2026-12-31";
  store.add(gate.id, stored);

  const std::vector<record::CaseVerdict> verdicts = store.verdicts(gate.id);
  ASSERT_EQ(verdicts.size(), 1u);
  const record::CaseVerdict& back = verdicts[0];
  EXPECT_EQ(back.case_name, stored.case_name);
  EXPECT_EQ(back.baseline_case, stored.baseline_case);
  EXPECT_EQ(back.verdict, Verdict::regression);
  EXPECT_EQ(back.reason, stored.reason);
  EXPECT_EQ(back.delta, stored.delta);
  EXPECT_EQ(back.baseline_ns, stored.baseline_ns);
  EXPECT_EQ(back.candidate_ns, stored.candidate_ns);
  EXPECT_EQ(back.ratio, stored.ratio);
  EXPECT_EQ(back.ratio_low, stored.ratio_low);
  EXPECT_EQ(back.ratio_high, stored.ratio_high);
  EXPECT_EQ(back.pairs, stored.pairs);
  EXPECT_EQ(back.dropped, stored.dropped);
  EXPECT_EQ(back.noise, stored.noise);
  EXPECT_EQ(back.smallest_effect, stored.smallest_effect);
  EXPECT_EQ(back.p_value, stored.p_value);
  EXPECT_EQ(back.level, stored.level);
  EXPECT_TRUE(back.expected);
  EXPECT_EQ(back.expectation, stored.expectation);
}

TEST_F(Gates, EveryVerdictIsStoredUnderItsNameAndCounted) {
  const std::string_view names[] = {
      "regression", "wrong_result", "crashed",     "timeout", "missing", "invalid_environment",
      "undecided",  "no_baseline",  "improvement", "new",     "pass",    "skipped"};
  for (std::size_t i = 0; i < std::size(names); ++i) {
    record::CaseVerdict verdict = examples::pass(info);
    verdict.case_name = "case " + std::to_string(i);
    verdict.verdict = static_cast<Verdict>(i);
    verdict.reason = "because";
    EXPECT_EQ(to_string(verdict.verdict), names[i]);
    EXPECT_EQ(record::parse_verdict(names[i]), verdict.verdict);
    if (verdict.verdict != Verdict::regression && verdict.verdict != Verdict::improvement &&
        verdict.verdict != Verdict::pass)
      verdict.ratio = verdict.ratio_low = verdict.ratio_high = std::nullopt;
    store.add(gate.id, verdict);
  }
  const auto counts = store.gates()[0].verdicts;
  ASSERT_EQ(counts.size(), std::size(names));
  for (std::size_t i = 0; i < counts.size(); ++i)
    EXPECT_EQ(counts[i], std::pair(static_cast<Verdict>(i), std::int64_t{1}));
  EXPECT_EQ(record::parse_verdict("new_case"), std::nullopt);
}

TEST_F(Gates, BadVerdictsAreRefused) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  using Spoil = std::function<void(record::CaseVerdict&)>;
  const std::pair<const char*, Spoil> table[] = {
      {"verdict_has_case", [](auto& v) { v.case_name = ""; }},
      {"ratio_is_positive", [](auto& v) { v.ratio = v.ratio_low = -1; }},
      {"ratio_lies_in_its_interval", [](auto& v) { v.ratio = 1.004; }},
      {"ratio_lies_in_its_interval", [](auto& v) { v.ratio = 1.016; }},
      {"ratio_lies_in_its_interval",
       [](auto& v) {
         v.verdict = Verdict::undecided;
         v.ratio.reset();
       }},
      {"ratio_low_is_positive", [](auto& v) { v.ratio_low = 0; }},
      {"delta_is_not_negative", [](auto& v) { v.delta = -0.01; }},
      {"baseline_ns_is_positive", [](auto& v) { v.baseline_ns = 0; }},
      {"candidate_ns_is_positive", [](auto& v) { v.candidate_ns = -1; }},
      {"pairs_are_counted", [](auto& v) { v.pairs = -1; }},
      {"dropped_pairs_are_counted", [](auto& v) { v.dropped = -1; }},
      {"noise_is_not_negative", [](auto& v) { v.noise = -1; }},
      {"smallest_effect_is_not_negative", [](auto& v) { v.smallest_effect = -1; }},
      {"p_value_is_a_probability", [](auto& v) { v.p_value = 1.5; }},
      {"level_is_a_probability", [](auto& v) { v.level = -0.5; }},
      {"decided_cases_have_numbers", [](auto& v) { v.ratio = v.ratio_low = v.ratio_high = std::nullopt; }},
      {"decided_cases_have_numbers", [](auto& v) { v.candidate_ns.reset(); }},
      {"decided_cases_have_numbers", [](auto& v) { v.p_value.reset(); }},
      {"decided_cases_have_numbers", [](auto& v) { v.pairs = 0; }},
      {"only_compared_cases_have_a_ratio", [](auto& v) { v.verdict = Verdict::wrong_result; }},
      {"only_compared_cases_have_a_ratio", [](auto& v) { v.verdict = Verdict::crashed; }},
      {"only_compared_cases_have_a_ratio", [](auto& v) { v.verdict = Verdict::new_case; }},
      {"verdict_reason_is_given", [](auto& v) { v.verdict = Verdict::invalid_environment; }},
      {"expected_is_explained", [](auto& v) { v.expected = true; }},
      {"ratio", [nan](auto& v) { v.ratio = nan; }},
      {"ratio_high", [infinity](auto& v) { v.ratio_high = infinity; }},
      {"p_value", [nan](auto& v) { v.p_value = nan; }},
      {"delta", [infinity](auto& v) { v.delta = infinity; }},
  };
  for (const auto& [constraint, spoil] : table) {
    record::CaseVerdict verdict = examples::pass(info);
    spoil(verdict);
    const std::string what = refusal([&] { store.add(gate.id, verdict); });
    EXPECT_NE(what.find(constraint), std::string::npos) << constraint << ": " << what;
    EXPECT_TRUE(store.verdicts(gate.id).empty()) << constraint;
  }
  refusal([&] { store.add("nobody", examples::pass(info)); });
  store.add(gate.id, examples::pass(info));
  EXPECT_EQ(store.verdicts(gate.id).size(), 1u);
}

TEST_F(Gates, BadGatesAreRefused) {
  const record::Gate good = examples::gate("20261120T140000Z-9a7e01", "2026-11-20T14:00:00Z");
  begin_sides(good);
  using Spoil = std::function<void(record::Gate&)>;
  const char* sides = "gate_measures_two_runs_on_one_device";
  const std::pair<const char*, Spoil> table[] = {
      {"gate.id", [this](auto& g) { g = gate; }},
      {"gate_mode_is_known", [](auto& g) { g.mode = "guess"; }},
      {sides, [](auto& g) { g.candidate_run = g.baseline_run; }},
      {sides, [this](auto& g) { g.baseline_run = gate.baseline_run; }},
      {sides, [](auto& g) { g.candidate_run = "nobody"; }},
      {sides, [](auto& g) { g.id = "a'b"; }},
      {"FOREIGN KEY",
       [](auto& g) {
         g.mode = "runs";
         g.baseline_run = "nobody";
       }},
      {"gate_id_is_plain",
       [](auto& g) {
         g.mode = "runs";
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
    const std::string what = refusal([&] { store.begin(bad); });
    EXPECT_NE(what.find(constraint), std::string::npos) << constraint << ": " << what;
    EXPECT_EQ(store.gates().size(), 1u) << constraint;
  }
  record::Gate elsewhere = good;
  elsewhere.device_uuid = "GPU-elsewhere";
  EXPECT_THROW(store.begin(elsewhere), Error);
  store.begin(good);
  EXPECT_EQ(store.gates()[0].gate.id, good.id) << "newest first";
}

TEST_F(Gates, OfTwoDevicesNothingIsMeasured) {
  const record::Gate two = examples::gate("two");
  store.begin(examples::side(two, two.baseline_run), examples::device(), examples::environment());
  record::Device other = examples::device();
  other.uuid = "GPU-0001";
  record::Run candidate = examples::side(two, two.candidate_run);
  candidate.device_uuid = other.uuid;
  store.begin(candidate, other, examples::environment());
  record::Gate wrong = two;
  wrong.device_uuid = other.uuid;
  EXPECT_NE(refusal([&] { store.begin(wrong); }).find("on_one_device"), std::string::npos);
}

TEST_F(Gates, StoredRunsAreComparedWithoutPairs) {
  for (const char* id : {"before", "after"})
    store.begin(examples::run(id), examples::device(), examples::environment());
  record::Gate stored = examples::gate("stored");
  stored.mode = "runs";
  stored.options = "";
  stored.baseline_run = "before";
  stored.candidate_run = "after";
  store.begin(stored);
  const std::int64_t a = measure("before"), b = measure("after");
  EXPECT_NE(refusal([&] { store.add("stored", examples::pair(info), a, b); }).find("pair_is_of_the_two_runs"),
            std::string::npos);
  store.add("stored", examples::pass(info));
  store.finish_gate("stored", RunStatus::finished, later);
  EXPECT_EQ(status_of("before"), RunStatus::running) << "the gate did not measure it";
}

TEST_F(Gates, EndTogetherWithTheRunsThatTheyMeasured) {
  store.begin(examples::run(), examples::device(), examples::environment());
  store.finish_gate(gate.id, RunStatus::interrupted, later);
  EXPECT_EQ(store.gates()[0].gate.status, RunStatus::interrupted);
  EXPECT_EQ(store.gates()[0].gate.finished, later);
  EXPECT_EQ(status_of(gate.baseline_run), RunStatus::interrupted);
  EXPECT_EQ(status_of(gate.candidate_run), RunStatus::interrupted);
  EXPECT_EQ(status_of(examples::run().id), RunStatus::running) << "not a side of it";
  EXPECT_NE(refusal([&] { store.finish_gate(gate.id, RunStatus::finished, later); }).find("no such gate is running"),
            std::string::npos);

  store.resume_gate(gate.id);
  EXPECT_EQ(store.gates()[0].gate.status, RunStatus::running);
  EXPECT_EQ(store.gates()[0].gate.finished, "");
  EXPECT_EQ(status_of(gate.candidate_run), RunStatus::running);
  store.resume_gate(gate.id);  // a killed one says running
  EXPECT_THROW(store.finish_gate(gate.id, RunStatus::finished, "soon"), Error);
  EXPECT_EQ(status_of(gate.candidate_run), RunStatus::running) << "refused whole";
  store.finish_gate(gate.id, RunStatus::finished, later);
  EXPECT_NE(refusal([&] { store.resume_gate(gate.id); }).find("no such gate is unfinished"), std::string::npos);
  EXPECT_NE(refusal([&] { store.resume_gate("nobody"); }).find("gate nobody"), std::string::npos);
  refusal([&] { store.finish_gate("nobody", RunStatus::finished, later); });
  EXPECT_EQ(status_of(gate.candidate_run), RunStatus::finished);
}

TEST_F(Gates, TextIsBoundNeverSplicedAndGarbageIsEscaped) {
  record::Gate evil = examples::gate("evil");
  evil.baseline = "'); DROP TABLE gate; --";
  evil.candidate = std::string("\xFF\0", 2);
  begin_sides(evil);
  store.begin(evil);
  record::CaseVerdict verdict = examples::pass(info);
  verdict.case_name = "' OR 1=1 --";
  store.add("evil", verdict);
  EXPECT_EQ(store.gates()[1].gate.id, gate.id);
  EXPECT_EQ(store.gates()[0].gate.baseline, evil.baseline);
  EXPECT_EQ(store.gates()[0].gate.candidate, "\\xff\\x00");
  EXPECT_EQ(store.verdicts("evil")[0].case_name, verdict.case_name);
  EXPECT_TRUE(store.verdicts("' OR 1=1 --").empty());
}

TEST_F(Gates, WhatDoesNotExistIsEmpty) {
  EXPECT_TRUE(store.pairs("nobody").empty());
  EXPECT_TRUE(store.verdicts("nobody").empty());
}

}  // namespace
}  // namespace ridgeline::store
