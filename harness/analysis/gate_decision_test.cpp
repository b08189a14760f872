#include "harness/analysis/gate_decision.hpp"

#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace ridgeline::analysis {
namespace gate_decision_test {

using record::Verdict;
using Values = std::vector<double>;

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<PairedTimes> with_log_ratios(const Values& ratios) {
  std::vector<PairedTimes> pairs;
  for (const double ratio : ratios) pairs.push_back({1, std::exp(ratio)});
  return pairs;
}

Values operator+(Values all, const Values& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

GatePlan medians_of(DeviceKind kind) { return on_medians_alone(plan_for(kind)); }

CaseRule rule_of(double delta) {
  CaseRule rule;
  rule.delta = delta;
  return rule;
}

Decision on(DeviceKind kind, double delta, int cases, const Values& ratios, bool last = false) {
  return decide(medians_of(kind), rule_of(delta), cases, with_log_ratios(ratios), last);
}

TEST(Gate, WorkedExampleQuietPass) {
  const Decision decision =
      on(DeviceKind::cuda, .01, 100, {.0003, -.0005, .0008, -.0002, .0001, .0006});
  EXPECT_TRUE(decision.decided);
  EXPECT_EQ(decision.verdict, Verdict::pass);
  EXPECT_DOUBLE_EQ(decision.p_value, 1. / 64);
  EXPECT_EQ(decision.level, .016);
  EXPECT_NEAR(decision.estimate.value(), .0002, 1e-14);
  EXPECT_NEAR(decision.interval.low, -.0005, 1e-14);
  EXPECT_NEAR(decision.interval.high, .0008, 1e-14);
}

const Values two_percent{.0212, .0187, .0203, .0195, .0221, .0179, .0208, .0199, .0190,
                         .0215, .0184, .0201, .0197, .0206, .0193, .0210, .0188, .0204};

TEST(Gate, WorkedExampleSlowDownOfTwoPercent) {
  const Values twelve(two_percent.begin(), two_percent.begin() + 12);
  const Decision early = on(DeviceKind::cuda, .01, 100, twelve);
  EXPECT_FALSE(early.decided);
  EXPECT_EQ(early.verdict, Verdict::undecided);
  EXPECT_EQ(early.level, 0);  // 12 pairs cannot reach a hundredth of a quarter of alpha

  const Decision decision = on(DeviceKind::cuda, .01, 100, two_percent);
  EXPECT_TRUE(decision.decided);
  EXPECT_EQ(decision.verdict, Verdict::regression);
  EXPECT_EQ(decision.pairs, 18);
  EXPECT_EQ(decision.p_value, std::ldexp(1., -18));
  EXPECT_NEAR(decision.level, 3.5e-5, 1e-18);
  EXPECT_NEAR(decision.estimate.value(), .019975, 1e-14);
  EXPECT_NEAR(decision.interval.low, .01925, 1e-14);
  EXPECT_NEAR(decision.interval.high, .02065, 1e-14);

  const Decision of_ten = on(DeviceKind::cuda, .01, 10, two_percent);
  EXPECT_EQ(of_ten.verdict, Verdict::regression);
  EXPECT_EQ(of_ten.pairs, 12);
  EXPECT_EQ(of_ten.p_value, std::ldexp(1., -12));
  EXPECT_NEAR(of_ten.level, 2.5e-4, 1e-18);
  EXPECT_NEAR(of_ten.estimate.value(), .0199, 1e-14);
}

TEST(Gate, WorkedExampleBursts) {
  const Values eight{.001, -.002, .003, -.002, -.21, .31, .003, -.001};
  EXPECT_FALSE(on(DeviceKind::cpu, .03, 50, eight).decided);
  const Decision decision = on(DeviceKind::cpu, .03, 50, eight + Values{.002, -.001, .004, 0});
  EXPECT_EQ(decision.verdict, Verdict::pass);
  EXPECT_EQ(decision.pairs, 12);
  EXPECT_EQ(decision.p_value, .004638671875);
  EXPECT_NEAR(decision.estimate.value(), .0005, 1e-14);
  EXPECT_NEAR(decision.interval.low, -.0015, 1e-14);
  EXPECT_NEAR(decision.interval.high, .003, 1e-14);
}

TEST(Gate, WorkedExampleNoisyCpu) {
  const Values eighteen{.052, .047, .061, -.14, .038, .055, .049, .043, .066,
                        .05,  .18,  .041, .058, .046, .053, .039, .048, .057};
  const Decision on_the_way = on(DeviceKind::cpu, .03, 50, eighteen);
  EXPECT_FALSE(on_the_way.decided);
  EXPECT_NEAR(on_the_way.p_value, 1.60217e-4, 5e-10);
  EXPECT_NEAR(on_the_way.level, 6e-5, 1e-18);
  EXPECT_NEAR(on_the_way.estimate.value(), .05, 1e-14);
  EXPECT_NEAR(on_the_way.interval.low, .0445, 1e-14);
  EXPECT_NEAR(on_the_way.interval.high, .055, 1e-14);

  const Decision of_ten = on(DeviceKind::cpu, .03, 10, eighteen);
  EXPECT_EQ(of_ten.verdict, Verdict::regression);
  EXPECT_NEAR(of_ten.level, 3e-4, 1e-18);

  const Decision later = on(DeviceKind::cpu, .03, 50,
                            eighteen + Values{.05, .044, .062, .045, .051, .056, .04, .054, .047});
  EXPECT_EQ(later.verdict, Verdict::regression);
  EXPECT_EQ(later.pairs, 27);
  EXPECT_NEAR(later.p_value, 8.8662e-7, 5e-12);
  EXPECT_NEAR(later.level, 4e-5, 1e-18);
}

TEST(Gate, WorkedExampleImprovement) {
  Values faster;
  for (const double ratio : two_percent) faster.push_back(-ratio);
  for (std::size_t n = 1; n < faster.size(); ++n)
    EXPECT_FALSE(on(DeviceKind::cuda, .01, 100,
                    {faster.begin(), faster.begin() + static_cast<std::ptrdiff_t>(n)})
                     .decided)
        << n;
  const Decision decision = on(DeviceKind::cuda, .01, 100, faster);
  EXPECT_EQ(decision.verdict, Verdict::improvement);
  EXPECT_EQ(decision.pairs, 18);
}

TEST(Gate, WorkedExampleSmallestEffect) {
  const Values twelve{.012, -.004, .009, .031, .006, -.011, .015, .002, .007, .018, -.002, .010};
  EXPECT_NEAR(
      smallest_effect(medians_of(DeviceKind::cpu), rule_of(.03), 50, with_log_ratios(twelve), 60)
          .value(),
      .0318, 5e-5);
}

TEST(GatePlan, SpendsAlphaAndTheRiskOfAWrongPassOnce) {
  for (const DeviceKind kind : {DeviceKind::cuda, DeviceKind::cpu, DeviceKind::emulated}) {
    const GatePlan plan = medians_of(kind);
    EXPECT_NEAR(std::accumulate(plan.alpha_share.begin(), plan.alpha_share.end(), 0.), 1, 1e-12)
        << to_string(kind);
    EXPECT_NEAR(std::accumulate(plan.pass_level.begin(), plan.pass_level.end(), 0.), .05, 1e-12)
        << to_string(kind);
    EXPECT_EQ(plan.looks.size(), plan.alpha_share.size());
    EXPECT_EQ(plan.looks.size(), plan.pass_level.size());
  }
  EXPECT_EQ(medians_of(DeviceKind::cuda).looks.back(), 40);
  EXPECT_EQ(medians_of(DeviceKind::cpu).looks.back(), 60);
  EXPECT_EQ(medians_of(DeviceKind::emulated).looks, medians_of(DeviceKind::cpu).looks);
  EXPECT_EQ(default_delta(DeviceKind::cuda), .005);
  EXPECT_EQ(default_delta(DeviceKind::cpu), .03);
}

// Too slow to pass a delta of 1% and too fast to fail at any look, with half of the pairs far to
// either side.
Values doubtful(int count) {
  Values ratios;
  for (int i = 0; i < count; ++i)
    ratios.push_back(.0085 + (i % 2 == 0 ? .02 : -.02) * (1 + .01 * i));
  return ratios;
}

TEST(Gate, CarriesALevelThatCannotBeReached) {
  const std::pair<int, double> levels[] = {
      {6, 0}, {12, 0}, {18, .35 * .01 / 300}, {27, .25 * .01 / 300}, {40, .40 * .01 / 300}};
  for (const auto& [pairs, level] : levels) {
    const Decision decision = on(DeviceKind::cuda, .01, 300, doubtful(pairs));
    EXPECT_FALSE(decision.decided);
    EXPECT_NEAR(decision.level, level, 1e-18) << pairs;
  }
}

TEST(Gate, BetweenLooksItOnlyGoesOn) {
  const Values thirty(30, .2);
  for (std::size_t n = 1; n < 18; ++n)
    EXPECT_FALSE(on(DeviceKind::cpu, .03, 100,
                    {thirty.begin(), thirty.begin() + static_cast<std::ptrdiff_t>(n)})
                     .decided)
        << n;
  // More pairs than the deciding look are not looked at.
  EXPECT_EQ(on(DeviceKind::cpu, .03, 100, thirty).pairs, 18);
  EXPECT_EQ(on(DeviceKind::cpu, .03, 100, Values(18, .2) + Values(60, -.2)).verdict,
            Verdict::regression);
  const Decision waiting = on(DeviceKind::cpu, .03, 100, Values(5, .2));
  EXPECT_EQ(waiting.pairs, 5);
  EXPECT_NEAR(waiting.estimate.value(), .2, 1e-14);
  EXPECT_EQ(waiting.interval.low, -infinity);
}

TEST(Gate, TheFinalLookSpendsWhatIsLeft) {
  // After look 12 of the GPU's plan, whose level was carried: all of alpha / 100 is left.
  const Values fifteen(two_percent.begin(), two_percent.begin() + 15);
  EXPECT_FALSE(on(DeviceKind::cuda, .01, 100, fifteen).decided);
  const Decision regression = on(DeviceKind::cuda, .01, 100, fifteen, true);
  EXPECT_EQ(regression.verdict, Verdict::regression);
  EXPECT_EQ(regression.pairs, 15);
  EXPECT_EQ(regression.p_value, std::ldexp(1., -15));
  EXPECT_NEAR(regression.level, 1e-4, 1e-18);

  // After look 18 it spent a part: levels of 27 and 40 are left, and for a pass those of the same
  // looks.
  const Decision undecided = on(DeviceKind::cuda, .01, 100, doubtful(20), true);
  EXPECT_FALSE(undecided.decided);
  EXPECT_EQ(undecided.pairs, 20);
  EXPECT_NEAR(undecided.level, .65e-4, 1e-18);
  const Decision pass = on(DeviceKind::cuda, .01, 100, doubtful(18) + Values(8, -.3), true);
  EXPECT_EQ(pass.verdict, Verdict::pass);
  EXPECT_NEAR(pass.level, .016, 1e-15);

  // Stopped at a look: the final look contains it.
  EXPECT_NEAR(on(DeviceKind::cuda, .01, 100, doubtful(18), true).level, 1e-4, 1e-18);
  EXPECT_NEAR(on(DeviceKind::cuda, .01, 100, doubtful(12), true).level, 1e-4, 1e-18);
  // So is its level of a pass: 3/64 is too much for the looks to come, and not for all of them with
  // this one.
  const Values six{.0085, .0115, .0005, .0004, .0003, .0002};
  EXPECT_FALSE(on(DeviceKind::cuda, .01, 100, six).decided);
  EXPECT_EQ(on(DeviceKind::cuda, .01, 100, six, true).verdict, Verdict::pass);
  EXPECT_EQ(on(DeviceKind::cuda, .01, 100, six, true).p_value, 3. / 64);
  // At the plan's last look nothing is left to spend twice.
  EXPECT_NEAR(on(DeviceKind::cuda, .01, 100, doubtful(40), true).level, .4e-4, 1e-18);
  EXPECT_NEAR(on(DeviceKind::cuda, .01, 100, doubtful(50), true).level, .4e-4, 1e-18);
}

TEST(Gate, TheFinalLookNeedsEnoughPairsLikeAnyOther) {
  EXPECT_EQ(on(DeviceKind::cuda, .01, 100, Values(5, .0001), true).verdict,
            Verdict::pass);  // 1/32 of 0.05
  EXPECT_FALSE(on(DeviceKind::cuda, .01, 100, Values(4, .0001), true).decided);
  EXPECT_FALSE(on(DeviceKind::cuda, .01, 100, Values(1, .0001), true).decided);
  EXPECT_FALSE(on(DeviceKind::cuda, .01, 100, Values(1, 3.), true).decided);
  EXPECT_FALSE(on(DeviceKind::cuda, .01, 100, Values(13, .5), true).decided);
  EXPECT_EQ(on(DeviceKind::cuda, .01, 100, Values(14, .5), true).verdict,
            Verdict::regression);  // 1/16384 of 1e-4
}

TEST(Gate, WhatALookDecidedStaysWhenNoMorePairsCome) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal(.01, .012);
  for (int trial = 0; trial < 200; ++trial) {
    Values ratios;
    while (ratios.size() < 60) {
      ratios.push_back(normal(random));
      const Decision open = on(DeviceKind::cpu, .02, 5, ratios);
      if (!open.decided) continue;
      const Decision closed = on(DeviceKind::cpu, .02, 5, ratios, true);
      EXPECT_EQ(closed.verdict, open.verdict);
      EXPECT_EQ(closed.pairs, open.pairs);
      EXPECT_EQ(closed.level, open.level);
      break;
    }
  }
}

TEST(Gate, AClearSpeedUpIsNotPassedWhileItMayBecomeAnImprovement) {
  Values faster;
  for (const double ratio : two_percent) faster.push_back(-ratio);
  const Values six(faster.begin(), faster.begin() + 6);
  EXPECT_FALSE(on(DeviceKind::cuda, .01, 100, six).decided);
  EXPECT_EQ(on(DeviceKind::cuda, .01, 100, six, true).verdict, Verdict::pass);  // too few for more

  CaseRule rule = rule_of(.01);
  rule.looking = Looking::slower;
  const Decision decision =
      decide(medians_of(DeviceKind::cuda), rule, 100, with_log_ratios(faster), false);
  EXPECT_EQ(decision.verdict, Verdict::pass);
  EXPECT_EQ(decision.pairs, 6);
  // And a slow-down is found as before.
  EXPECT_EQ(
      decide(medians_of(DeviceKind::cuda), rule, 100, with_log_ratios(two_percent), false).verdict,
      Verdict::regression);
}

TEST(Gate, AnAbsoluteFloorWidensDelta) {
  std::vector<PairedTimes> pairs;
  for (const double ratio : two_percent) pairs.push_back({100, 100 * std::exp(ratio)});
  CaseRule rule = rule_of(.01);
  rule.floor_ns = 5;  // 5% of 100 ns
  const Decision decision = decide(medians_of(DeviceKind::cuda), rule, 100, pairs, false);
  EXPECT_EQ(decision.verdict, Verdict::pass);
  EXPECT_DOUBLE_EQ(decision.delta, std::log1p(.05));
  rule.floor_ns = .5;
  EXPECT_DOUBLE_EQ(decide(medians_of(DeviceKind::cuda), rule, 100, pairs, false).delta,
                   std::log1p(.01));
  rule.delta = 0;  // the floor alone
  EXPECT_DOUBLE_EQ(decide(medians_of(DeviceKind::cuda), rule, 100, pairs, false).delta,
                   std::log1p(.005));
  // The floor is taken from the pairs that the look sees.
  rule.floor_ns = 5;
  std::vector<PairedTimes> later = pairs;
  for (int i = 0; i < 30; ++i) later.push_back({1, 1});
  EXPECT_DOUBLE_EQ(decide(medians_of(DeviceKind::cuda), rule, 100, later, false).delta,
                   std::log1p(.05));
}

TEST(Gate, EqualTimesPass) {
  const std::vector<PairedTimes> pairs(8, PairedTimes{250, 250});
  const Decision decision = decide(medians_of(DeviceKind::cpu), rule_of(.03), 100, pairs, false);
  EXPECT_EQ(decision.verdict, Verdict::pass);
  EXPECT_EQ(decision.estimate, 0);
  EXPECT_EQ(decision.noise, 0);
  EXPECT_EQ(decision.p_value, 1. / 256);
}

TEST(Gate, TimesThatAreExactlyDeltaSlowerAgree) {
  for (const auto& [before, after] : {std::pair{100., 103.}, {200., 206.}, {7., 7.21}}) {
    const Decision decision = decide(medians_of(DeviceKind::cpu), rule_of(.03), 1,
                                     std::vector<PairedTimes>(12, {before, after}), false);
    EXPECT_EQ(decision.verdict, Verdict::regression) << before;
  }
}

TEST(Gate, TimesThatAreExactlyDeltaFasterAgree) {
  for (const auto& [before, after] : {std::pair{103., 100.}, {206., 200.}, {7.21, 7.}}) {
    const Decision decision = decide(medians_of(DeviceKind::cpu), rule_of(.03), 1,
                                     std::vector<PairedTimes>(12, {before, after}), false);
    EXPECT_EQ(decision.verdict, Verdict::improvement) << before;
  }
}

TEST(Gate, TwoValuesThatTakeTurnsHaveAnInterval) {
  Values turns;
  for (int i = 0; i < 60; ++i) turns.push_back(i % 2 == 0 ? std::log(2) : -std::log(2));
  const Decision decision = on(DeviceKind::cpu, .03, 10, turns, true);
  EXPECT_NEAR(decision.interval.low, -std::log(2), 1e-12);
  EXPECT_NEAR(decision.interval.high, std::log(2), 1e-12);
  // Nothing below a factor of two would put all pairs on one side.
  EXPECT_GT(
      smallest_effect(medians_of(DeviceKind::cpu), rule_of(.03), 10, with_log_ratios(turns), 60)
          .value(),
      .9);
  const Decision few = on(DeviceKind::cpu, .03, 10, {turns.begin(), turns.begin() + 5}, true);
  EXPECT_EQ(few.interval.low, -infinity);
}

TEST(Gate, TwoRatiosThatDifferInTheirLastBitsHaveTheSameInterval) {
  std::vector<PairedTimes> turns;
  for (int i = 0; i < 15; ++i)
    for (const auto& [before, after] :
         {std::pair{100., 200.}, {200., 100.}, {103., 206.}, {206., 103.}})
      turns.push_back({before, after});
  const Decision decision = decide(medians_of(DeviceKind::cpu), rule_of(.03), 10, turns, true);
  EXPECT_NEAR(decision.interval.low, -std::log(2), 1e-12);
  EXPECT_NEAR(decision.interval.high, std::log(2), 1e-12);
}

TEST(Gate, StatesTheNoise) {
  const Decision decision = on(DeviceKind::cuda, .01, 100, {.01, -.01, .02, -.02, 0, .9});
  EXPECT_NEAR(decision.noise.value(), 1.4826 * .015,
              1e-12);  // from .005: .005, .015, .015, .025, .005, .895
}

// One look and no floor: nothing but the two sides tells baseline from candidate.
GatePlan one_look(int pairs) { return {{pairs}, {1}, {.05}, .5}; }

TEST(Gate, SwappingTheSidesMirrorsTheVerdict) {
  std::mt19937 random(23);
  int regressions = 0, improvements = 0;
  for (int trial = 0; trial < 300; ++trial) {
    std::normal_distribution<double> baseline(7, .01), candidate(7 + .03 * (trial % 5 - 2), .01);
    std::vector<PairedTimes> pairs, swapped, scaled;
    for (int i = 0; i < 16; ++i) {
      const double a = std::exp(baseline(random)), b = std::exp(candidate(random));
      pairs.push_back({a, b});
      swapped.push_back({b, a});
      scaled.push_back({a * 1000, b * 1000});
    }
    const Decision decision = decide(one_look(16), rule_of(.03), 10, pairs, false);
    const Decision mirror = decide(one_look(16), rule_of(.03), 10, swapped, false);
    EXPECT_EQ(mirror.estimate, -decision.estimate.value());
    EXPECT_EQ(mirror.interval.low, -decision.interval.high);
    EXPECT_EQ(mirror.interval.high, -decision.interval.low);
    EXPECT_EQ(mirror.noise, decision.noise);
    EXPECT_EQ(decision.verdict == Verdict::regression, mirror.verdict == Verdict::improvement);
    EXPECT_EQ(decision.verdict == Verdict::improvement, mirror.verdict == Verdict::regression);
    if (decision.verdict == Verdict::regression) {
      ++regressions;
      EXPECT_EQ(decision.p_value, mirror.p_value);
    }
    improvements += decision.verdict == Verdict::improvement ? 1 : 0;

    const Decision in_other_units = decide(one_look(16), rule_of(.03), 10, scaled, false);
    EXPECT_EQ(in_other_units.verdict, decision.verdict);
    EXPECT_NEAR(in_other_units.estimate.value(), decision.estimate.value(), 1e-13);
    EXPECT_NEAR(in_other_units.interval.low, decision.interval.low, 1e-13);
    EXPECT_NEAR(in_other_units.interval.high, decision.interval.high, 1e-13);
  }
  EXPECT_GT(regressions, 50);
  EXPECT_GT(improvements, 50);
}

TEST(Gate, TheOrderOfPairsWithinALookDoesNotCount) {
  const Decision decision =
      on(DeviceKind::cuda, .01, 10, {two_percent.begin(), two_percent.begin() + 12});
  const Values reversed(two_percent.rend() - 12, two_percent.rend());
  const Decision other = on(DeviceKind::cuda, .01, 10, reversed);
  EXPECT_EQ(other.verdict, decision.verdict);
  EXPECT_EQ(other.estimate, decision.estimate);
  EXPECT_EQ(other.interval.low, decision.interval.low);
}

TEST(Gate, RefusesWhatIsNoTime) {
  const GatePlan plan = medians_of(DeviceKind::cpu);
  for (const double bad : {std::nan(""), infinity, -infinity, 0., -1.})
    for (const std::size_t good : {0u, 1u, 12u}) {
      std::vector<PairedTimes> pairs(good, PairedTimes{100, 101});
      pairs.push_back({bad, 100});
      EXPECT_THROW(decide(plan, rule_of(.03), 10, pairs, true), Error) << bad;
      pairs.back() = {100, bad};
      EXPECT_THROW(decide(plan, rule_of(.03), 10, pairs, false), Error) << bad;
      pairs.resize(20, PairedTimes{100, 100});
      EXPECT_THROW(smallest_effect(plan, rule_of(.03), 10, pairs, 60), Error) << bad;
    }
  EXPECT_THROW(decide(plan, rule_of(.03), 10, {}, true), Error);
}

TEST(Gate, JudgesTheLargestAndTheSmallestTimes) {
  const std::vector<PairedTimes> huge(18, PairedTimes{1e-300, 1e300}),
      tiny(18, PairedTimes{1e300, 5e-324});
  EXPECT_EQ(decide(medians_of(DeviceKind::cpu), rule_of(.03), 100, huge, false).verdict,
            Verdict::regression);
  EXPECT_EQ(decide(medians_of(DeviceKind::cpu), rule_of(.03), 100, tiny, false).verdict,
            Verdict::improvement);
}

TEST(Gate, RefusesARuleThatCannotBeJudged) {
  const std::vector<PairedTimes> pairs(12, PairedTimes{100, 101});
  const auto refuses = [&](const GatePlan& plan, const CaseRule& rule, int cases) {
    EXPECT_THROW(decide(plan, rule, cases, pairs, false), Error);
    EXPECT_THROW(smallest_effect(plan, rule, cases, pairs, 60), Error);
  };
  const GatePlan plan = medians_of(DeviceKind::cpu);
  refuses(plan, rule_of(.03), 0);
  for (const double delta : {0., -.1, std::nan(""), infinity}) refuses(plan, rule_of(delta), 10);
  for (const double alpha : {0., 1., -1., std::nan("")}) {
    CaseRule rule = rule_of(.03);
    rule.alpha = alpha;
    refuses(plan, rule, 10);
  }
  CaseRule rule = rule_of(.03);
  rule.floor_ns = std::nan("");
  refuses(plan, rule, 10);
  refuses({{12, 8}, {.5, .5}, {.02, .02}, .5}, rule_of(.03), 10);
  refuses({{8, 12}, {1}, {.02, .02}, .5}, rule_of(.03), 10);
  refuses({{}, {}, {}, .5}, rule_of(.03), 10);
  refuses({{8, 12}, {.5, .6}, {.02, .02}, .5}, rule_of(.03), 10);
  refuses({{8, 12}, {.5, .5}, {.6, .6}, .5}, rule_of(.03), 10);
  refuses({{8, 12}, {1.5, -.5}, {.02, .02}, .5}, rule_of(.03), 10);
  refuses({{8, 12}, {.5, .5}, {.02, std::nan("")}, .5}, rule_of(.03), 10);
  refuses(with_pass_risk(plan, 5), rule_of(.03), 10);
}

TEST(SmallestEffect, IsAbsentWhereItCannotBeKnown) {
  const GatePlan plan = medians_of(DeviceKind::cpu);
  EXPECT_FALSE(smallest_effect(plan, rule_of(.03), 10, with_log_ratios(Values(5, .01)), 60));
  EXPECT_TRUE(smallest_effect(plan, rule_of(.03), 10, with_log_ratios(Values(6, .01)), 60));
  EXPECT_FALSE(smallest_effect(plan, rule_of(.03), 10, {}, 60));
}

TEST(SmallestEffect, IsDeltaWithoutNoiseAndGrowsWithIt) {
  const GatePlan plan = medians_of(DeviceKind::cpu);
  EXPECT_NEAR(smallest_effect(plan, rule_of(.03), 10, with_log_ratios(Values(12, .01)), 60).value(),
              .03, 1e-12);
  double before = 0;
  for (const double noise : {.001, .01, .03, .1}) {
    Values ratios;
    for (int i = 0; i < 12; ++i) ratios.push_back(noise * (i - 5.5) / 5);
    const double effect =
        smallest_effect(plan, rule_of(.03), 10, with_log_ratios(ratios), 60).value();
    EXPECT_GT(effect, before);
    EXPECT_GT(effect, .03);
    // Fewer pairs find less, and so does a case among more.
    EXPECT_GT(smallest_effect(plan, rule_of(.03), 10, with_log_ratios(ratios), 20).value(), effect);
    EXPECT_GE(smallest_effect(plan, rule_of(.03), 1000, with_log_ratios(ratios), 60).value(),
              effect);
    before = effect;
  }
}

}  // namespace gate_decision_test
}  // namespace ridgeline::analysis
