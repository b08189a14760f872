#include "harness/gate/rules.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace ridgeline::gate {
namespace rules_test {

using analysis::CaseRule;
using analysis::Looking;

const std::vector<std::string> names{"gemm/naive/f32/n=512", "gemm/naive/f64/n=512",
                                     "gemm/tiled/f32/n=512", "scan/naive/f32/n=512"};

constexpr const char* good = R"([[rule]]
cases = "*"
delta = "3%"
floor = "1us"

[[rule]]
cases = "gemm"
delta = 0.02
alpha = 0.05
direction = "slower"

[[rule]]
cases = "gemm/naive/*"
expect = "regression"
reason = "checked for overflow now"
until = 2026-12-31

[[rule]]
cases = "scan"
skip = "too noisy here"
)";

CaseRule otherwise() {
  CaseRule rule;
  rule.delta = 0.5;
  return rule;
}

std::vector<CaseRule> resolved(const std::string& text, const std::string& today = "2026-11-20",
                               const std::vector<std::string>& known = {}) {
  return resolve(parse_gate_rules(text, "gate.toml"), names, otherwise(), today, known);
}

/// Expects a usage Error whose message begins like `failure` and whose advice contains `advice`.
template <class Call>
void expect_refused(Call&& call, const std::string& failure, const std::string& advice = {}) {
  try {
    call();
    ADD_FAILURE() << "accepted: " << failure;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_TRUE(std::string(error.what()).starts_with(failure)) << error.what() << "\n" << failure;
    EXPECT_NE(error.advice().find(advice), std::string::npos) << error.advice();
  }
}

TEST(GateRules, EveryKeyIsDecidedByItsMostSpecificPattern) {
  const std::vector<CaseRule> rules = resolved(good);
  ASSERT_EQ(rules.size(), names.size());
  EXPECT_EQ(rules[0].delta, 0.02) << "gemm has more literal characters than *";
  EXPECT_EQ(rules[0].floor_ns, 1000) << "what a specific rule leaves out comes from the others";
  EXPECT_EQ(rules[0].alpha, 0.05);
  EXPECT_EQ(rules[0].looking, Looking::slower);
  EXPECT_TRUE(rules[0].expected);
  EXPECT_FALSE(rules[0].expectation_over);
  EXPECT_EQ(rules[0].expectation, "checked for overflow now (until 2026-12-31)");
  EXPECT_FALSE(rules[2].expected);
  EXPECT_EQ(rules[3].delta, 0.03);
  EXPECT_EQ(rules[3].alpha, otherwise().alpha);
  EXPECT_EQ(rules[3].looking, Looking::both);
  EXPECT_EQ(rules[3].skip, "too noisy here");
  EXPECT_EQ(resolved("")[0].delta, 0.5) << "without a rule it is as without a file";
}

TEST(GateRules, AGlobForTheBeginningOfANameIsNoMoreSpecificThanItsCharacters) {
  const auto rule = [](const char* cases, const char* delta) {
    return fmt::format("[[rule]]\ncases = \"{}\"\ndelta = {}\n", cases, delta);
  };
  const std::string all = rule("gemm", "0.02"), glob = rule("g*/naive", "0.04"),
                    below = rule("gemm/naive/*", "0.06");
  EXPECT_EQ(resolved(all + glob)[0].delta, 0.04);
  EXPECT_EQ(resolved(glob + all)[2].delta, resolved(all)[2].delta) << "of another variant";
  EXPECT_EQ(resolved(below + glob + all)[0].delta, 0.06);
}

TEST(GateRules, AnExpectationHoldsThroughItsLastDay) {
  EXPECT_FALSE(resolved(good, "2026-12-31")[0].expectation_over);
  const CaseRule over = resolved(good, "2027-01-01")[0];
  EXPECT_TRUE(over.expectation_over);
  EXPECT_EQ(over.expectation, "checked for overflow now (until 2026-12-31, which is over)");
}

TEST(GateRules, AnExpectationMayHaveALimit) {
  std::string text = good;
  text.insert(text.find("until = "), "at_most = \"5%\"\n");
  const CaseRule rule = resolved(text)[0];
  EXPECT_EQ(rule.at_most, 0.05);
  EXPECT_EQ(rule.expectation, "checked for overflow now (at most 5%, until 2026-12-31)");
  EXPECT_TRUE(analysis::is_as_expected(rule, 1.05));
  EXPECT_FALSE(analysis::is_as_expected(rule, 1.051));
  EXPECT_FALSE(analysis::is_as_expected(resolved(text, "2027-01-01")[0], 1.04));
  EXPECT_TRUE(analysis::is_as_expected(resolved(good)[0], 1.5)) << "without a limit it has none";
  EXPECT_FALSE(analysis::is_as_expected(CaseRule{}, 1.04));
  text.replace(text.find("5%\"\nuntil"), 2, "2%");
  expect_refused(
      [&] { resolved(text); },
      "gate.toml:12: at_most 2% is no larger than the delta of gemm/naive/f32/n=512, 2%");
}

TEST(GateRules, CountsMayGrowByCaseAndByMetric) {
  const std::vector<CaseRule> rules = resolved(R"([[rule]]
cases = "*"
counts = { global_load_sectors = "5%", atomics = 0.1 }

[[rule]]
cases = "gemm"
counts = 0.01

[[rule]]
cases = "gemm/naive"
counts = { global_load_sectors = 0 }

[[rule]]
cases = "gemm/tiled"
counts = 0
)");
  using Metrics = std::map<std::string, double>;
  EXPECT_EQ(rules[0].counts, 0.01);
  EXPECT_EQ(rules[0].metric_counts, (Metrics{{"atomics", 0.1}, {"global_load_sectors", 0}}))
      << "each metric is a key of its own";
  EXPECT_EQ(rules[2].counts, 0);
  EXPECT_EQ(rules[2].metric_counts, (Metrics{{"atomics", 0.1}, {"global_load_sectors", 0.05}}));
  EXPECT_EQ(rules[3].counts, 0) << "without a rule no count may grow";
  EXPECT_EQ(resolved(good)[0].counts, 0);
  EXPECT_TRUE(resolved(good)[0].metric_counts.empty());
}

TEST(GateRules, AMetricThatNobodyCountsIsNamed) {
  const GateRules rules = parse_gate_rules(
      "[[rule]]\ncases = \"*\"\ncounts = { atomics = 0.1, global_load_sector = 0.1, zebras = 0.1 "
      "}\n",
      "gate.toml");
  EXPECT_EQ(unknown_metrics(rules, {"atomics", "global_load_sectors"}),
            (std::vector<std::string>{"gate.toml:1: no case that was compared counts "
                                      "global_load_sector; did you mean global_load_sectors?",
                                      "gate.toml:1: no case that was compared counts zebras"}));
  EXPECT_TRUE(unknown_metrics(parse_gate_rules(good, "gate.toml"), {}).empty());
}

TEST(GateRules, ATieBetweenDifferentValuesNamesBothLines) {
  const auto rules = [](const char* first, const char* second) {
    return std::string("[[rule]]\ncases = \"gemm/*\"\n") + first +
           "\n\n[[rule]]\ncases = \"*gemm/*\"\n" + second + "\n";
  };
  const std::pair<const char*, const char*> ties[] = {
      {"delta = 0.01", "delta = 0.02"},
      {"floor = \"1us\"", "floor = \"1ns\""},
      {"counts = 0", "counts = 0.01"},
      {"counts = { a = 0 }", "counts = { a = 0.01 }"},
      {"direction = \"both\"", "direction = \"slower\""},
      {"tails = \"fail\"", "tails = \"tell\""},
      {"skip = \"a\"", "skip = \"b\""}};
  for (const auto& [first, second] : ties) {
    const std::string text = rules(first, second);
    expect_refused([&] { resolved(text); },
                   "gate.toml:5: the rules of lines 1 and 5 set a different ",
                   "make one of them longer");
  }
  EXPECT_EQ(resolved(rules("delta = 0.01", "delta = \"1%\""))[0].delta, 0.01)
      << "equal values are no tie";
  EXPECT_EQ(resolved(rules("floor = \"1us\"", "floor = \"1000ns\""))[0].floor_ns, 1000);
  EXPECT_EQ(resolved(rules("delta = 0.01", "alpha = 0.02"))[0].delta, 0.01)
      << "different keys are no tie";
  EXPECT_EQ(
      resolved(rules("counts = { a = 0.01 }", "counts = { b = 0.02 }"))[0].metric_counts.size(),
      2u);
  const std::string overruled =
      rules("delta = 0.01", "delta = 0.02") + "[[rule]]\ncases = \"gemm/*/*\"\ndelta = 0.04\n";
  EXPECT_EQ(resolved(overruled)[0].delta, 0.04)
      << "a tie below the most specific rule does not matter";
}

TEST(GateRules, ARuleForNoCaseIsAMistake) {
  const std::string text = std::string(good) + "\n[[rule]]\ncases = \"gemn/naive\"\ndelta = 0.1\n";
  expect_refused([&] { resolved(text); }, "gate.toml:22: no case matches \"gemn/naive\"",
                 "did you mean gemm/naive?");
  EXPECT_NO_THROW(resolved(text, "2026-11-20", {"gemn/naive/f32/n=1"}))
      << "a case that is not gated this time";
}

TEST(GateRules, WhatIsSkippedCannotBeExpectedToBeSlower) {
  expect_refused(
      [] {
        resolved(std::string(good) + "\n[[rule]]\ncases = \"gemm/naive/f32\"\nskip = \"slow\"\n");
      },
      "gate.toml:12: the rules of lines 12 and 22 expect a regression of gemm/naive/f32/n=512 and "
      "skip it");
}

TEST(GateRules, RefuseWithFileAndLine) {
  struct Row {
    const char *from, *to, *failure, *advice;
  };
  const Row rows[] = {
      {"delta = 0.02", "delt = 0.02", "gate.toml:8: unknown key \"delt\" in [[rule]]",
       "did you mean delta?"},
      {"[[rule]]\ncases = \"gemm\"", "[[rules]]\ncases = \"gemm\"",
       "gate.toml:6: unknown key \"rules\"", "did you mean rule?"},
      {"cases = \"gemm\"\n", "", "gate.toml:6: cases is missing in [[rule]]", ""},
      {"cases = \"gemm\"", "cases = 3", "gate.toml:7: cases must be a text", ""},
      {"cases = \"gemm\"", "cases = \"\"", "gate.toml:7: cases must be a case pattern", ""},
      {"delta = 0.02", "delta = 3", "gate.toml:8: delta must be a fraction between 0 and 1", ""},
      {"delta = 0.02", "delta = -0.02", "gate.toml:8: delta must be a fraction", ""},
      {"delta = 0.02", "delta = nan", "gate.toml:8: delta must be a fraction", ""},
      {"delta = \"3%\"", "delta = \"3\"", "gate.toml:3: delta must be a fraction", ""},
      {"floor = \"1us\"", "floor = 1000", "gate.toml:4: floor must be a duration above 0", ""},
      {"floor = \"1us\"", "floor = \"1 us\"", "gate.toml:4: floor must be a duration above 0", ""},
      {"alpha = 0.05", "alpha = 1.0", "gate.toml:9: alpha must be a fraction", ""},
      {"alpha = 0.05", "alpha = \"99.9%\"",
       "gate.toml:9: alpha 0.999 is not a share above 0 and at most 0.2", "write 3%"},
      {"alpha = 0.05", "counts = 2", "gate.toml:9: counts must be 0 or a fraction below 1", ""},
      {"alpha = 0.05", "counts = -0.1", "gate.toml:9: counts must be 0 or a fraction", ""},
      {"alpha = 0.05", "counts = true", "gate.toml:9: counts must be 0 or a fraction", ""},
      {"alpha = 0.05", "counts = {}", "gate.toml:9: counts names no metric", "counts = { atomics"},
      {"alpha = 0.05", "counts = { sectors = \"x\" }",
       "gate.toml:9: sectors must be 0 or a fraction", ""},
      {"alpha = 0.05", "count = 0.1", "gate.toml:9: unknown key \"count\" in [[rule]]",
       "did you mean counts?"},
      {"until = 2026-12-31", "until = 2026-12-31\nat_most = 0",
       "gate.toml:17: at_most must be a fraction", ""},
      {"skip = \"too noisy here\"", "skip = \"a\"\nat_most = 0.1",
       "gate.toml:21: at_most belongs to expect", ""},
      {"\"slower\"", "\"faster\"", "gate.toml:10: direction must be \"both\" or \"slower\"", ""},
      {"direction = \"slower\"", "tails = \"hide\"",
       "gate.toml:10: tails must be \"fail\" or \"tell\"", ""},
      {"\"regression\"", "\"pass\"", "gate.toml:14: expect must be \"regression\"", ""},
      {"reason = \"checked for overflow now\"\n", "", "gate.toml:12: reason is missing in [[rule]]",
       ""},
      {"\"checked for overflow now\"", "\" \"", "gate.toml:15: reason must not be empty", ""},
      {"until = 2026-12-31\n", "", "gate.toml:12: until is missing in [[rule]]", ""},
      {"2026-12-31", "\"2026-12-31\"", "gate.toml:16: until must be a date without quotes", ""},
      {"2026-12-31", "2026-12-31T10:00:00Z", "gate.toml:16: until must be a date", ""},
      {"2026-12-31", "2026-13-31", "gate.toml:16: ", ""},
      {"expect = \"regression\"\n", "", "gate.toml:14: reason belongs to expect = \"regression\"",
       ""},
      {"skip = \"too noisy here\"\n", "", "gate.toml:18: the rule sets nothing", "delta"},
      {"skip = \"too noisy here\"", "skip = true", "gate.toml:20: skip must be a text", ""},
      {"skip = \"too noisy here\"", "skip = \"\"", "gate.toml:20: skip must not be empty", ""},
  };
  for (const Row& row : rows) {
    std::string text = good;
    const std::size_t at = text.find(row.from);
    ASSERT_NE(at, std::string::npos) << row.from;
    text.replace(at, std::string(row.from).size(), row.to);
    expect_refused([&] { parse_gate_rules(text, "gate.toml"); }, row.failure, row.advice);
  }
  expect_refused([] { parse_gate_rules("[rule]\ncases = \"*\"\n", "gate.toml"); },
                 "gate.toml:1: write [[rule]]");
  expect_refused([] { parse_gate_rules("rule = [3]\n", "gate.toml"); },
                 "gate.toml:1: rule must be sections");
  expect_refused([] { load_gate_rules("missing/gate.toml"); },
                 "cannot read the rules of the gate missing/gate.toml");
  expect_refused([] { load_gate_rules("/"); },
                 "cannot read the rules of the gate /: it is not a text file");
  expect_refused([] { load_gate_rules("/dev/zero"); },
                 "cannot read the rules of the gate /dev/zero: it is not a text file");
}

}  // namespace rules_test
}  // namespace ridgeline::gate
