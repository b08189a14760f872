#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "harness/store/gate_fixture.hpp"

namespace ridgeline::store {
namespace verdicts_test {

using record::Verdict;

using Verdicts = Gates;

TEST_F(Verdicts, AVerdictComesBackAsItWasStoredAndIsReplaced) {
  record::CaseVerdict undecided;
  undecided.case_name = record::name(info.id);
  add(store, gate.id, undecided);
  record::CaseVerdict stored = examples::pass(info);
  stored.verdict = Verdict::regression;
  stored.baseline_case = "gemm/other/f32/m=64,n=64,k=64";
  stored.reason = "slower";
  stored.expected = true;
  stored.expectation = "a fix is on its way, until 2026-12-31";
  add(store, gate.id, stored);

  const std::vector<record::CaseVerdict> verdicts = store::verdicts(store, gate.id);
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

TEST_F(Verdicts, AVerdictOnCountsHasValuesAndNoTimes) {
  record::CaseVerdict stored = examples::fewer_sectors(info);
  add(store, gate.id, stored);
  const record::CaseVerdict back = store::verdicts(store, gate.id).at(0);
  EXPECT_EQ(back.verdict, Verdict::improvement);
  EXPECT_EQ(back.metric, "global_load_sectors");
  EXPECT_EQ(back.baseline_value, 512);
  EXPECT_EQ(back.candidate_value, 384);
  EXPECT_EQ(back.ratio, 0.75);
  EXPECT_EQ(back.baseline_ns, std::nullopt);

  stored.candidate_value = stored.ratio = 0;
  add(store, gate.id, stored);
  EXPECT_EQ(store::verdicts(store, gate.id).at(0).ratio, 0) << "a count may fall to nothing";
  stored.verdict = Verdict::regression;
  stored.baseline_value = 0;
  stored.candidate_value = 32;
  stored.ratio.reset();
  add(store, gate.id, stored);
  EXPECT_EQ(store::verdicts(store, gate.id).at(0).ratio, std::nullopt) << "nothing has no multiple";
}

TEST_F(Verdicts, BadVerdictsOnCountsAreRefused) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const std::pair<const char*, std::function<void(record::CaseVerdict&)>> table[] = {
      {"decided_cases_have_numbers", [](auto& v) { v.baseline_value.reset(); }},
      {"decided_cases_have_numbers", [](auto& v) { v.candidate_value.reset(); }},
      {"decided_cases_have_numbers", [](auto& v) { v.metric = ""; }},
      {"values_are_of_a_metric",
       [](auto& v) {
         v.metric = "";
         v.verdict = Verdict::skipped;
         v.reason = "because";
         v.ratio.reset();
       }},
      {"counts_have_no_times", [](auto& v) { v.baseline_ns = 1; }},
      {"counts_have_no_times", [](auto& v) { v.candidate_ns = 1; }},
      {"counts_have_no_times", [](auto& v) { v.p_value = 0.5; }},
      {"counts_have_no_times", [](auto& v) { v.level = 0.5; }},
      {"counts_have_no_times", [](auto& v) { v.pairs = 1; }},
      {"counts_have_no_times", [](auto& v) { v.dropped = 1; }},
      {"counts_have_no_times", [](auto& v) { v.noise = 0; }},
      {"counts_have_no_times", [](auto& v) { v.smallest_effect = 0; }},
      {"counts_have_no_times", [](auto& v) { v.ratio_low = 0.5; }},
      {"counts_have_no_times", [](auto& v) { v.ratio_high = 1; }},
      {"ratio_is_positive", [](auto& v) { v.ratio = -1; }},
      {"only_compared_cases_have_a_metric",
       [](auto& v) {
         v.verdict = Verdict::missing;
         v.ratio.reset();
       }},
      {"baseline_value", [infinity](auto& v) { v.baseline_value = infinity; }},
      {"candidate_value", [infinity](auto& v) { v.candidate_value = infinity; }},
  };
  for (const auto& [constraint, spoil] : table) {
    record::CaseVerdict verdict = examples::fewer_sectors(info);
    spoil(verdict);
    const std::string what = refusal([&] { add(store, gate.id, verdict); });
    EXPECT_NE(what.find(constraint), std::string::npos) << constraint << ": " << what;
    EXPECT_TRUE(store::verdicts(store, gate.id).empty()) << constraint;
  }
}

TEST_F(Verdicts, WhatIsKnownBesideMediansIsStored) {
  record::CaseVerdict verdict = examples::pass(info);
  verdict.verdict = Verdict::tail;
  verdict.tail = record::Tail::throttles;
  verdict.mean_ratio = 1.9;
  verdict.ninetieth_ratio = 2.1;
  verdict.baseline_slow = 0;
  verdict.candidate_slow = 0.1;
  verdict.dropped = 5;
  verdict.dropped_baseline = 1;
  verdict.dropped_candidate = 3;
  add(store, gate.id, verdict);
  EXPECT_EQ(store::verdicts(store, gate.id).at(0), verdict);
  verdict.verdict = Verdict::undecided;
  verdict.tail.reset();
  verdict.tail_suspected = true;
  verdict.doubt = record::Doubt::cluster;
  verdict.more_pairs = 4;
  add(store, gate.id, verdict);
  EXPECT_EQ(store::verdicts(store, gate.id).at(0), verdict);
}

TEST_F(Verdicts, BadWordsBesideMediansAreRefused) {
  const std::pair<const char*, std::function<void(record::CaseVerdict&)>> table[] = {
      {"a_tail_says_which", [](auto& v) { v.verdict = Verdict::tail; }},
      {"only_undecided_cases_are_doubted", [](auto& v) { v.doubt = record::Doubt::exact; }},
      {"only_undecided_cases_need_more_pairs", [](auto& v) { v.more_pairs = 3; }},
      {"drops_of_one_side_are_drops", [](auto& v) { v.dropped_candidate = 7; }},
      {"candidate_slow_is_a_share", [](auto& v) { v.candidate_slow = 1.5; }},
      {"mean_ratio", [](auto& v) { v.mean_ratio = 0; }},
      {"verdict_reason_is_given",
       [](auto& v) {
         v.verdict = Verdict::not_measured;
         v.ratio = v.ratio_low = v.ratio_high = std::nullopt;
       }},
  };
  for (const auto& [constraint, spoil] : table) {
    record::CaseVerdict verdict = examples::pass(info);
    spoil(verdict);
    const std::string what = refusal([&] { add(store, gate.id, verdict); });
    EXPECT_NE(what.find(constraint), std::string::npos) << constraint << ": " << what;
  }
}

TEST_F(Verdicts, EveryVerdictIsStoredUnderItsNameAndCounted) {
  const std::string_view names[] = {
      "regression",          "tail",         "wrong_result", "crashed",     "timeout", "missing",
      "invalid_environment", "undecided",    "no_baseline",  "improvement", "new",     "pass",
      "same_code",           "not_measured", "skipped"};
  for (std::size_t i = 0; i < std::size(names); ++i) {
    record::CaseVerdict verdict = examples::pass(info);
    verdict.case_name = "case " + std::to_string(i);
    verdict.verdict = static_cast<Verdict>(i);
    verdict.reason = "because";
    if (verdict.verdict == Verdict::tail) verdict.tail = record::Tail::launches;
    EXPECT_EQ(to_string(verdict.verdict), names[i]);
    EXPECT_EQ(parse<record::Verdict>(names[i]), verdict.verdict);
    if (verdict.verdict != Verdict::regression && verdict.verdict != Verdict::improvement &&
        verdict.verdict != Verdict::pass)
      verdict.ratio = verdict.ratio_low = verdict.ratio_high = std::nullopt;
    add(store, gate.id, verdict);
  }
  const auto counts = store::gates(store)[0].verdicts;
  ASSERT_EQ(counts.size(), std::size(names));
  for (std::size_t i = 0; i < counts.size(); ++i)
    EXPECT_EQ(counts[i], std::pair(static_cast<Verdict>(i), std::int64_t{1}));
  EXPECT_EQ(parse<record::Verdict>("new_case"), std::nullopt);
}

TEST_F(Verdicts, BadVerdictsAreRefused) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                   infinity = std::numeric_limits<double>::infinity();
  using Spoil = std::function<void(record::CaseVerdict&)>;
  const std::pair<const char*, Spoil> table[] = {
      {"verdict_has_case", [](auto& v) { v.case_name = ""; }},
      {"ratio_is_positive", [](auto& v) { v.ratio = v.ratio_low = -1; }},
      {"ratio_is_positive",
       [](auto& v) {
         v.ratio = 0;
         v.ratio_low.reset();
       }},
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
      {"decided_cases_have_numbers",
       [](auto& v) { v.ratio = v.ratio_low = v.ratio_high = std::nullopt; }},
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
    const std::string what = refusal([&] { add(store, gate.id, verdict); });
    EXPECT_NE(what.find(constraint), std::string::npos) << constraint << ": " << what;
    EXPECT_TRUE(store::verdicts(store, gate.id).empty()) << constraint;
  }
  refusal([&] { add(store, "nobody", examples::pass(info)); });
  add(store, gate.id, examples::pass(info));
  EXPECT_EQ(store::verdicts(store, gate.id).size(), 1u);
}

}  // namespace verdicts_test
}  // namespace ridgeline::store
