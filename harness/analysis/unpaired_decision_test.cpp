#include "harness/analysis/unpaired_decision.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace ridgeline::analysis {
namespace unpaired_decision_test {

using record::Verdict;
using Values = std::vector<double>;

CaseRule rule_of(double delta) {
  CaseRule rule;
  rule.delta = delta;
  return rule;
}

Values around_time(double time_ns, int count) {
  Values times;
  for (int i = 0; i < count; ++i) times.push_back(time_ns * (1 + .001 * (i - .5 * count)));
  return times;
}

TEST(Unpaired, AreJudgedByOneUnpairedLook) {
  const GatePlan plan = plan_for(DeviceKind::cpu);
  const auto of = [&](const Values& baseline, const Values& candidate, int cases = 100) {
    return decide_unpaired(plan, rule_of(.03), cases, baseline, candidate);
  };
  const Decision regression = of(around_time(100, 8), around_time(110, 8));
  EXPECT_EQ(regression.verdict, Verdict::regression);
  EXPECT_TRUE(regression.decided);
  EXPECT_EQ(regression.pairs, 8);
  EXPECT_NEAR(regression.p_value, 1. / 12870, 1e-15);
  EXPECT_NEAR(regression.level, 1e-4, 1e-18);
  EXPECT_NEAR(regression.estimate.value(), std::log(1.1), 1e-3);
  EXPECT_LT(regression.interval.low, std::log(1.1));
  EXPECT_GT(regression.interval.high, std::log(1.1));

  EXPECT_EQ(of(around_time(110, 8), around_time(100, 8)).verdict, Verdict::improvement);
  EXPECT_EQ(of(around_time(100, 8), around_time(100, 8)).verdict, Verdict::pass);
  EXPECT_EQ(of(around_time(100, 8), around_time(100, 8)).level, .05);
  // Too few for an alarm among 100.
  EXPECT_FALSE(of(around_time(100, 7), around_time(110, 7)).decided);
  EXPECT_EQ(of(around_time(100, 7), around_time(110, 7), 10).verdict, Verdict::regression);
  EXPECT_FALSE(
      of({80, 90, 100, 110, 120, 130, 140, 150}, {81, 91, 101, 111, 121, 131, 141, 151}).decided);
  EXPECT_FALSE(of(Values{100}, Values{100}).decided);
  EXPECT_EQ(of(Values{100, 101, 100}, Values{100, 101, 102, 99, 100}).pairs, 3);

  CaseRule slower = rule_of(.03);
  slower.looking = Looking::slower;
  EXPECT_EQ(decide_unpaired(plan, slower, 100, around_time(110, 8), around_time(100, 8)).verdict,
            Verdict::pass);
  CaseRule floor = rule_of(.03);
  floor.floor_ns = 20;
  EXPECT_EQ(decide_unpaired(plan, floor, 100, around_time(100, 8), around_time(110, 8)).verdict,
            Verdict::pass);
}

TEST(Unpaired, NeedEnoughProcessesForAnAlarm) {
  EXPECT_EQ(least_processes(rule_of(.03), 100), 8);
  EXPECT_TRUE(can_reach(3, 3, 1.0 / 20));
  EXPECT_FALSE(can_reach(3, 3, 1.0 / 21));
  EXPECT_TRUE(can_reach(2, 12, 1.0 / 91));
  EXPECT_FALSE(can_reach(12, 2, 1.0 / 92));
  EXPECT_FALSE(can_reach(0, 100, 0.5));
  EXPECT_TRUE(can_reach(200, 200, 1e-100));
  // One process fewer than that is never enough, however far the sides are apart; that many are.
  for (const int cases : {1, 3, 10, 30, 100, 1000}) {
    const int least = least_processes(rule_of(.03), cases);
    const auto apart = [&](int count) {
      return decide_unpaired(plan_for(DeviceKind::cpu), rule_of(.03), cases,
                             around_time(100, count), around_time(900, count));
    };
    EXPECT_EQ(apart(least).verdict, Verdict::regression) << cases;
    EXPECT_NE(apart(least - 1).verdict, Verdict::regression) << cases;
  }
}

TEST(Unpaired, RefusesWhatCannotBeJudged) {
  const GatePlan plan = plan_for(DeviceKind::cpu);
  for (const double bad : {0., -1., std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(decide_unpaired(plan, rule_of(.03), 10, Values{1, bad}, Values{1}), Error) << bad;
    EXPECT_THROW(decide_unpaired(plan, rule_of(.03), 10, Values{1}, Values{1, bad}), Error) << bad;
  }
  EXPECT_THROW(decide_unpaired(plan, rule_of(.03), 10, {}, Values{1}), Error);
  EXPECT_THROW(decide_unpaired(plan, rule_of(.03), 10, Values{1}, {}), Error);
  EXPECT_THROW(decide_unpaired(plan, rule_of(.03), 0, Values{1, 2}, Values{1, 2}), Error);
  CaseRule without = rule_of(.03);
  without.alpha = 0;
  EXPECT_THROW(decide_unpaired(plan, without, 10, Values{1, 2}, Values{1, 2}), Error);
  EXPECT_THROW(least_processes(without, 10), Error);
}

TEST(UnpairedDoubt, OfFewProcessesByTheirSeparation) {
  const auto doubt = [](const std::vector<double>& baseline, const std::vector<double>& candidate,
                        int cases, double limit = .03) {
    return doubt_of_unpaired(baseline, candidate, limit, cases);
  };
  const std::vector<double> five{100, 101, 99, 100.5, 99.5}, tenfold{1000, 1010, 990, 1005, 995};
  EXPECT_EQ(doubt(five, tenfold, 12), record::Doubt::exact) << "1 of 252 orders";
  EXPECT_EQ(doubt(five, tenfold, 13), record::Doubt::large);
  EXPECT_EQ(doubt({100, 101, 99}, {1000, 1010, 990}, 3), record::Doubt::cluster);
  EXPECT_EQ(doubt({100, 101}, {1000, 1010}, 1), record::Doubt::cluster);
  EXPECT_FALSE(doubt({100, 200}, {790, 1600}, 1)) << "two that lie so far apart";
  EXPECT_EQ(doubt({100, 200}, {810, 1600}, 1), record::Doubt::large) << "each is many times slower";
  EXPECT_FALSE(doubt({100}, {390}, 1));
  EXPECT_EQ(doubt({100}, {410}, 1), record::Doubt::large);
  EXPECT_FALSE(doubt({}, {1000}, 1));
  EXPECT_FALSE(doubt(five, {}, 1));
  EXPECT_FALSE(doubt(tenfold, five, 1)) << "faster";
  EXPECT_FALSE(doubt(five, tenfold, 1, std::log(11))) << "less than what is expected";
}

TEST(UnpairedDoubt, OfDisturbedProcessesIsFishersTest) {
  EXPECT_NEAR(p_of_disturbed(10, 0, 10, 4), 210. / 4845, 1e-12);
  EXPECT_NEAR(p_of_disturbed(10, 0, 10, 3), 120. / 1140, 1e-12);
  EXPECT_NEAR(p_of_disturbed(5, 0, 5, 5), 1. / 252, 1e-12);
  EXPECT_NEAR(p_of_disturbed(10, 4, 10, 0), 1, 1e-12);
  EXPECT_EQ(p_of_disturbed(10, 0, 10, 0), 1);
  EXPECT_EQ(p_of_disturbed(0, 0, 3, 3), 1);
}

}  // namespace unpaired_decision_test
}  // namespace ridgeline::analysis
