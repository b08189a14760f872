#include "harness/run/budget.hpp"

#include <gtest/gtest.h>

#include "harness/run/measure_case.hpp"

namespace ridgeline::run {
namespace budget_test {

TEST(Budget, SharesWhatIsLeftAndLearnsWhatPreparingTakes) {
  double now = 100;
  Budget budget(10, [&] { return now; });
  for (const char* name : {"a", "b", "a", "b"}) budget.expect(name);
  EXPECT_NEAR(budget.sampling_s("a"), (9.7 - 4 * 0.2) / 4, 1e-9);
  now += 2;
  budget.done("a", 1.0);  // b is guessed to be like a
  EXPECT_NEAR(budget.sampling_s("b"), (0.97 * 8 - 3 * 1.0) / 3, 1e-9);
  now += 1;
  budget.done("b", 0.1);
  EXPECT_NEAR(budget.sampling_s("b"), (0.97 * 7 - 1.1) / 2, 1e-9);
}

TEST(Budget, GivesEachCaseItsShares) {
  double now = 0;
  Budget budget(10, [&] { return now; });
  budget.expect("roof", 4);
  for (int i = 0; i < 4; ++i) budget.expect("plain");
  EXPECT_NEAR(budget.sampling_s("roof"), 4 * (9.7 - 5 * 0.2) / 8, 1e-9);
  EXPECT_NEAR(budget.sampling_s("plain"), (9.7 - 5 * 0.2) / 8, 1e-9);
  now += 3;
  budget.done("roof", 0.2);
  EXPECT_NEAR(budget.sampling_s("plain"), (0.97 * 7 - 4 * 0.2) / 4, 1e-9);
}

TEST(Budget, EveryRunOfEqualCasesEndsInTime) {
  double now = 0;
  Budget budget(10, [&] { return now; });
  for (int i = 0; i < 100; ++i) budget.expect(std::to_string(i % 20));
  for (int i = 0; i < 100; ++i) {
    ASSERT_FALSE(budget.too_short_for(std::to_string(i % 20))) << i;
    now += budget.sampling_s(std::to_string(i % 20)) + 0.03;
    budget.done(std::to_string(i % 20), 0.03);
  }
  EXPECT_LT(now, 10);
  EXPECT_GT(now, 8);
}

TEST(Budget, MeasuresInEarnestAsLongAsItLasts) {
  double now = 0;
  Budget budget(10, [&] { return now; });
  for (int i = 0; i < 100; ++i) budget.expect("slow");
  int measured = 0;
  for (int i = 0; i < 100 && !budget.too_short_for("slow"); ++i, ++measured) {
    EXPECT_GE(budget.sampling_s("slow"), 0.03);
    now += budget.sampling_s("slow") + 1;
    budget.done("slow", 1);
  }
  EXPECT_EQ(measured, 9);
}

TEST(Budget, SaysWhenNothingIsLeft) {
  double now = 0;
  Budget budget(1, [&] { return now; });
  budget.expect("a");
  budget.expect("a");
  now = 0.5;
  budget.done("a", 0.6);
  EXPECT_TRUE(budget.too_short_for("a"));
  now = 2;
  EXPECT_LT(budget.left_s(), 0);
  EXPECT_EQ(budget.sampling_s("a"), 0);
}

TEST(Budget, WhatOneExecutionNeedsAloneIsNotExpectedOfOthers) {
  CaseResult result;
  result.sampling_s = 0.5;
  result.measurement.total_ns = 2e9;
  EXPECT_EQ(overhead_s(result), 1.5);
  result.once_s = 1.25;
  EXPECT_EQ(overhead_s(result), 0.25);
  result.once_s = 5;  // it settled sooner than it might have: how soon is not told
  EXPECT_LT(overhead_s(result), 0);
  result = {};
  result.measurement.total_ns = 2e9;
  EXPECT_LT(overhead_s(result), 0) << "a case that was not sampled says nothing of one that is";
}

}  // namespace budget_test
}  // namespace ridgeline::run
