#include "harness/analysis/gate_decision.hpp"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace ridgeline::analysis {
namespace {

using record::Verdict;
using Values = std::vector<double>;

std::vector<PairedTimes> with_log_ratios(const Values& ratios) {
  std::vector<PairedTimes> pairs;
  for (const double ratio : ratios) pairs.push_back({1, std::exp(ratio)});
  return pairs;
}

Values operator+(Values all, const Values& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

CaseRule rule_of(double delta) {
  CaseRule rule;
  rule.delta = delta;
  return rule;
}

Decision on(const std::string& kind, double delta, int cases, const Values& ratios, bool last = false) {
  return decide(plan_for(kind), rule_of(delta), cases, with_log_ratios(ratios), last);
}

TEST(Gate, WorkedExampleQuietPass) {
  const Decision decision = on("cuda", .01, 100, {.0003, -.0005, .0008, -.0002, .0001, .0006});
  EXPECT_TRUE(decision.decided);
  EXPECT_EQ(decision.verdict, Verdict::pass);
  EXPECT_DOUBLE_EQ(decision.p_value, 1. / 64);
  EXPECT_EQ(decision.level, .016);
  EXPECT_NEAR(decision.estimate, .0002, 1e-14);
  EXPECT_NEAR(decision.interval.low, -.0005, 1e-14);
  EXPECT_NEAR(decision.interval.high, .0008, 1e-14);
}

const Values two_percent{.0212, .0187, .0203, .0195, .0221, .0179, .0208, .0199, .0190,
                         .0215, .0184, .0201, .0197, .0206, .0193, .0210, .0188, .0204};

TEST(Gate, WorkedExampleSlowDownOfTwoPercent) {
  const Values twelve(two_percent.begin(), two_percent.begin() + 12);
  const Decision early = on("cuda", .01, 100, twelve);
  EXPECT_FALSE(early.decided);
  EXPECT_EQ(early.verdict, Verdict::undecided);
  EXPECT_EQ(early.level, 0);  // 12 pairs cannot reach a hundredth of a quarter of alpha

  const Decision decision = on("cuda", .01, 100, two_percent);
  EXPECT_TRUE(decision.decided);
  EXPECT_EQ(decision.verdict, Verdict::regression);
  EXPECT_EQ(decision.pairs, 18);
  EXPECT_EQ(decision.p_value, std::ldexp(1., -18));
  EXPECT_NEAR(decision.level, 3.5e-5, 1e-18);
  EXPECT_NEAR(decision.estimate, .019975, 1e-14);
  EXPECT_NEAR(decision.interval.low, .01925, 1e-14);
  EXPECT_NEAR(decision.interval.high, .02065, 1e-14);

  const Decision of_ten = on("cuda", .01, 10, two_percent);
  EXPECT_EQ(of_ten.verdict, Verdict::regression);
  EXPECT_EQ(of_ten.pairs, 12);
  EXPECT_EQ(of_ten.p_value, std::ldexp(1., -12));
  EXPECT_NEAR(of_ten.level, 2.5e-4, 1e-18);
  EXPECT_NEAR(of_ten.estimate, .0199, 1e-14);
}

TEST(Gate, WorkedExampleBursts) {
  const Values eight{.001, -.002, .003, -.002, -.21, .31, .003, -.001};
  EXPECT_FALSE(on("cpu", .03, 50, eight).decided);
  const Decision decision = on("cpu", .03, 50, eight + Values{.002, -.001, .004, 0});
  EXPECT_EQ(decision.verdict, Verdict::pass);
  EXPECT_EQ(decision.pairs, 12);
  EXPECT_EQ(decision.p_value, .004638671875);
  EXPECT_NEAR(decision.estimate, .0005, 1e-14);
  EXPECT_NEAR(decision.interval.low, -.0015, 1e-14);
  EXPECT_NEAR(decision.interval.high, .003, 1e-14);
}

TEST(Gate, WorkedExampleNoisyCpu) {
  const Values eighteen{.052, .047, .061, -.14, .038, .055, .049, .043, .066,
                        .05,  .18,  .041, .058, .046, .053, .039, .048, .057};
  const Decision on_the_way = on("cpu", .03, 50, eighteen);
  EXPECT_FALSE(on_the_way.decided);
  EXPECT_NEAR(on_the_way.p_value, 1.60217e-4, 5e-10);
  EXPECT_NEAR(on_the_way.level, 6e-5, 1e-18);
  EXPECT_NEAR(on_the_way.estimate, .05, 1e-14);
  EXPECT_NEAR(on_the_way.interval.low, .0445, 1e-14);
  EXPECT_NEAR(on_the_way.interval.high, .055, 1e-14);

  const Decision of_ten = on("cpu", .03, 10, eighteen);
  EXPECT_EQ(of_ten.verdict, Verdict::regression);
  EXPECT_NEAR(of_ten.level, 3e-4, 1e-18);

  const Decision later = on("cpu", .03, 50, eighteen + Values{.05, .044, .062, .045, .051, .056, .04, .054, .047});
  EXPECT_EQ(later.verdict, Verdict::regression);
  EXPECT_EQ(later.pairs, 27);
  EXPECT_NEAR(later.p_value, 8.8662e-7, 5e-12);
  EXPECT_NEAR(later.level, 4e-5, 1e-18);
}

TEST(Gate, WorkedExampleImprovement) {
  Values faster;
  for (const double ratio : two_percent) faster.push_back(-ratio);
  for (std::size_t n = 1; n < faster.size(); ++n)
    EXPECT_FALSE(on("cuda", .01, 100, {faster.begin(), faster.begin() + static_cast<std::ptrdiff_t>(n)}).decided) << n;
  const Decision decision = on("cuda", .01, 100, faster);
  EXPECT_EQ(decision.verdict, Verdict::improvement);
  EXPECT_EQ(decision.pairs, 18);
}

TEST(Gate, WorkedExampleSmallestEffect) {
  const Values twelve{.012, -.004, .009, .031, .006, -.011, .015, .002, .007, .018, -.002, .010};
  EXPECT_NEAR(smallest_effect(plan_for("cpu"), rule_of(.03), 50, with_log_ratios(twelve), 60).value(), .0318, 5e-5);
}

}  // namespace
}  // namespace ridgeline::analysis
