#include "harness/analysis/count_decision.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace ridgeline::analysis {
namespace count_decision_test {

using record::CaseVerdict;
using record::Direction;
using record::Metric;
using record::Verdict;
using Metrics = std::vector<Metric>;

Metric lower(const std::string& name, double value) { return {name, value, "1", Direction::lower}; }
Metric higher(const std::string& name, double value) {
  return {name, value, "1", Direction::higher};
}
Metric fact(const std::string& name, double value) { return {name, value, "1", Direction::none}; }

CaseVerdict judged(const Metrics& baseline, const Metrics& candidate, const CaseRule& rule = {}) {
  CaseVerdict verdict;
  judge_counts(verdict, baseline, candidate, rule);
  return verdict;
}

CaseRule allowing(double share) {
  CaseRule rule;
  rule.counts = share;
  return rule;
}

TEST(CountDecision, ASingleCountMoreIsARegression) {
  const CaseVerdict found = judged({lower("sectors", 1e9)}, {lower("sectors", 1e9 + 1)});
  EXPECT_EQ(found.verdict, Verdict::regression);
  EXPECT_EQ(found.metric, "sectors");
  EXPECT_EQ(found.baseline_value, 1e9);
  EXPECT_EQ(found.candidate_value, 1e9 + 1);
  EXPECT_EQ(found.ratio, (1e9 + 1) / 1e9);
  EXPECT_EQ(found.delta, 0);
  EXPECT_EQ(found.reason, "");
  EXPECT_FALSE(found.expected);
  EXPECT_EQ(judged({lower("sectors", 1e9 + 1)}, {lower("sectors", 1e9)}).verdict,
            Verdict::improvement);
  EXPECT_EQ(judged({higher("lanes", 32)}, {higher("lanes", 31.5)}).verdict, Verdict::regression);
  EXPECT_EQ(judged({higher("lanes", 31.5)}, {higher("lanes", 32)}).verdict, Verdict::improvement);
}

TEST(CountDecision, EqualCountsPass) {
  const CaseVerdict found = judged({lower("atomics", 0), lower("sectors", 64), fact("useful", 3)},
                                   {lower("atomics", 0), lower("sectors", 64), fact("useful", 3)});
  EXPECT_EQ(found.verdict, Verdict::pass);
  EXPECT_EQ(found.metric, "sectors") << "something that there is";
  EXPECT_EQ(found.ratio, 1);
  EXPECT_EQ(found.reason, "all 2 judged metrics are equal");
  const CaseVerdict nothing = judged({lower("atomics", 0)}, {lower("atomics", 0)});
  EXPECT_EQ(nothing.verdict, Verdict::pass);
  EXPECT_EQ(nothing.metric, "atomics");
  EXPECT_FALSE(nothing.ratio);
}

TEST(CountDecision, ARuleAllowsAsMuchAsItSaysInBothDirections) {
  const auto verdict = [](double from, double to, double share) {
    return judged({lower("sectors", from)}, {lower("sectors", to)}, allowing(share)).verdict;
  };
  EXPECT_EQ(verdict(100, 115, .15), Verdict::pass) << "1.15 is no binary number";
  EXPECT_EQ(verdict(100, 116, .15), Verdict::regression);
  EXPECT_EQ(verdict(115, 100, .15), Verdict::pass);
  EXPECT_EQ(verdict(116, 100, .15), Verdict::improvement);
  EXPECT_EQ(verdict(0, 1, .99), Verdict::regression) << "no share of nothing is something";
  EXPECT_EQ(verdict(1, 0, .99), Verdict::improvement);
  const CaseVerdict passed =
      judged({lower("sectors", 100)}, {lower("sectors", 101)}, allowing(.01));
  EXPECT_EQ(passed.metric, "sectors");
  EXPECT_EQ(passed.delta, .01);
  EXPECT_EQ(passed.reason, "");
}

TEST(CountDecision, AMetricMayHaveItsOwnRule) {
  CaseRule rule = allowing(.5);
  rule.metric_counts = {{"sectors", 0}};
  const CaseVerdict found = judged({lower("barriers", 10), lower("sectors", 1000)},
                                   {lower("barriers", 15), lower("sectors", 1001)}, rule);
  EXPECT_EQ(found.verdict, Verdict::regression);
  EXPECT_EQ(found.metric, "sectors");
  EXPECT_EQ(found.delta, 0);
  EXPECT_EQ(found.reason, "within the rules: barriers 10 -> 15");
}

TEST(CountDecision, TheLargestChangeDecidesAndTheOthersAreNamed) {
  const Metrics before{lower("a", 100), lower("b", 10), lower("c", 4), lower("d", 5),
                       lower("e", 5),   lower("f", 5),  lower("g", 8), fact("h", 1)};
  const Metrics after{lower("a", 101), lower("b", 20), lower("c", 5), lower("d", 6),
                      lower("e", 6),   lower("f", 6),  lower("g", 4), fact("h", 2)};
  const CaseVerdict found = judged(before, after);
  EXPECT_EQ(found.verdict, Verdict::regression);
  EXPECT_EQ(found.metric, "b");
  EXPECT_EQ(found.ratio, 2);
  EXPECT_EQ(found.reason,
            "also worse: c 4 -> 5, d 5 -> 6, e 5 -> 6 and 2 more; better: g 8 -> 4; not judged: h "
            "1 -> 2");
}

TEST(CountDecision, FromAndToZeroIsTheLargestChangeAndHasNoRatio) {
  const CaseVerdict found = judged({lower("atomics", 0), lower("sectors", 1)},
                                   {lower("atomics", 1), lower("sectors", 9)});
  EXPECT_EQ(found.verdict, Verdict::regression);
  EXPECT_EQ(found.metric, "atomics");
  EXPECT_FALSE(found.ratio);
  const CaseVerdict gone = judged({lower("atomics", 1), lower("sectors", 9)},
                                  {lower("atomics", 0), lower("sectors", 1)});
  EXPECT_EQ(gone.verdict, Verdict::improvement);
  EXPECT_EQ(gone.metric, "atomics");
  EXPECT_FALSE(gone.ratio);
}

TEST(CountDecision, WhatHasNoDirectionIsNeverJudged) {
  const CaseVerdict found =
      judged({fact("tensor", 1), lower("sectors", 2)}, {fact("tensor", 5), lower("sectors", 2)});
  EXPECT_EQ(found.verdict, Verdict::pass);
  EXPECT_EQ(found.reason, "all 1 judged metrics are equal; not judged: tensor 1 -> 5");
  const CaseVerdict gone = judged({fact("tensor", 1), lower("sectors", 2)}, {lower("sectors", 2)});
  EXPECT_EQ(gone.verdict, Verdict::pass);
  EXPECT_NE(gone.reason.find("tensor (the baseline alone)"), std::string::npos) << gone.reason;
}

TEST(CountDecision, NothingPassesBecauseAMetricIsMissing) {
  const Metrics both{lower("registers", 32), lower("sectors", 8)}, one{lower("sectors", 8)};
  const CaseVerdict vanished = judged(both, one), appeared = judged(one, both);
  EXPECT_EQ(vanished.verdict, Verdict::undecided);
  EXPECT_EQ(vanished.metric, "registers");
  EXPECT_EQ(vanished.baseline_value, 32);
  EXPECT_FALSE(vanished.candidate_value);
  EXPECT_EQ(vanished.reason, "cannot be compared: registers (the baseline alone)");
  EXPECT_EQ(appeared.verdict, Verdict::undecided);
  EXPECT_EQ(appeared.reason, "cannot be compared: registers (the candidate alone)");
  EXPECT_EQ(judged(both, {lower("sectors", 7)}).verdict, Verdict::undecided)
      << "nor is it an improvement";
  const CaseVerdict worse = judged(both, {lower("sectors", 9)});
  EXPECT_EQ(worse.verdict, Verdict::regression) << "what is worse is worse whatever is missing";
  EXPECT_EQ(worse.metric, "sectors");
  EXPECT_EQ(worse.reason, "cannot be compared: registers (the baseline alone)");
  EXPECT_EQ(judged({}, {}).verdict, Verdict::undecided);
  EXPECT_EQ(judged({fact("tensor", 1)}, {fact("tensor", 1)}).verdict, Verdict::undecided);
  EXPECT_TRUE(judged({}, {}).metric.empty());
}

TEST(CountDecision, OtherUnitsOrDirectionsCannotBeCompared) {
  EXPECT_EQ(judged({{"bytes", 1, "B", Direction::lower}}, {{"bytes", 1, "KiB", Direction::lower}})
                .verdict,
            Verdict::undecided);
  const CaseVerdict turned = judged({lower("x", 1)}, {higher("x", 2)});
  EXPECT_EQ(turned.verdict, Verdict::undecided);
  EXPECT_FALSE(turned.ratio);
  EXPECT_EQ(turned.reason, "cannot be compared: x (in another unit or direction)");
  EXPECT_EQ(judged({lower("x", 1)}, {fact("x", 1)}).verdict, Verdict::undecided);
}

TEST(CountDecision, ImprovementsAreNotLookedForWhereTheRuleSaysSo) {
  CaseRule rule;
  rule.looking = Looking::slower;
  const CaseVerdict found = judged({lower("sectors", 2)}, {lower("sectors", 1)}, rule);
  EXPECT_EQ(found.verdict, Verdict::pass);
  EXPECT_EQ(found.ratio, .5);
  EXPECT_EQ(judged({lower("sectors", 1)}, {lower("sectors", 2)}, rule).verdict,
            Verdict::regression);
}

TEST(CountDecision, AnExpectedRegressionHasItsLimit) {
  CaseRule rule;
  rule.expected = true;
  rule.at_most = .5;
  EXPECT_TRUE(judged({lower("sectors", 10)}, {lower("sectors", 15)}, rule).expected);
  EXPECT_FALSE(judged({lower("sectors", 10)}, {lower("sectors", 16)}, rule).expected);
  EXPECT_FALSE(judged({lower("sectors", 0)}, {lower("sectors", 1)}, rule).expected);
  EXPECT_TRUE(judged({higher("lanes", 30)}, {higher("lanes", 20)}, rule).expected);
  EXPECT_FALSE(judged({higher("lanes", 30)}, {higher("lanes", 19)}, rule).expected);
  EXPECT_FALSE(judged({higher("lanes", 30)}, {higher("lanes", 0)}, rule).expected);
  rule.at_most.reset();
  EXPECT_TRUE(judged({lower("sectors", 0)}, {lower("sectors", 1)}, rule).expected);
}

Verdict mirrored(Verdict verdict) {
  return verdict == Verdict::regression    ? Verdict::improvement
         : verdict == Verdict::improvement ? Verdict::regression
                                           : verdict;
}

TEST(CountDecision, ExchangedSidesMirrorEveryMetric) {
  std::mt19937 random(7);
  const double values[] = {0, 1, 2, 3, 10, 11, 1e9, 1e9 + 1, -1, .5};
  const double shares[] = {0, .01, .1, .9};
  int regressions = 0;
  for (int i = 0; i < 5000; ++i) {
    const Direction direction = i % 2 ? Direction::lower : Direction::higher;
    const Metrics one{{"x", values[random() % 10], "1", direction}},
        two{{"x", values[random() % 10], "1", direction}};
    const CaseRule rule = allowing(shares[random() % 4]);
    const CaseVerdict there = judged(one, two, rule), back = judged(two, one, rule);
    ASSERT_EQ(back.verdict, mirrored(there.verdict))
        << one[0].value << " -> " << two[0].value << ", " << rule.counts;
    ASSERT_EQ(back.baseline_value, there.candidate_value);
    ASSERT_EQ(there.ratio.has_value(), back.ratio.has_value());
    if (there.ratio) {
      ASSERT_NEAR(*there.ratio * *back.ratio, 1, 1e-12);
    }
    regressions += there.verdict == Verdict::regression;
  }
  EXPECT_GT(regressions, 500);
}

TEST(CountDecision, TheOrderOfTheMetricsDoesNotMatter) {
  std::mt19937 random(11);
  for (int i = 0; i < 300; ++i) {
    Metrics one, two;
    for (const char* name : {"a", "b", "c", "d", "e", "f"}) {
      const auto direction = static_cast<Direction>(random() % 3);
      if (random() % 8) one.push_back({name, static_cast<double>(random() % 4), "1", direction});
      if (random() % 8) two.push_back({name, static_cast<double>(random() % 4), "1", direction});
    }
    const CaseVerdict first = judged(one, two);
    std::ranges::shuffle(one, random);
    std::ranges::shuffle(two, random);
    const CaseVerdict second = judged(one, two);
    ASSERT_EQ(first.verdict, second.verdict);
    ASSERT_EQ(first.metric, second.metric);
    ASSERT_EQ(first.reason, second.reason);
  }
}

}  // namespace count_decision_test
}  // namespace ridgeline::analysis
