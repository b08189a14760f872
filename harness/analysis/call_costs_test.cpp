#include "harness/analysis/call_costs.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace ridgeline::analysis {
namespace call_costs_test {

/// Per call, of rows of so many calls, in three processes that differ.
CaseSummary row(double once, double each, double calls, double noise = 0.1) {
  CaseSummary summary;
  for (const double process : {-1, 0, 1})
    summary.medians_ns.push_back(once / calls + each + process * noise);
  summary.median_ns = summary.medians_ns[1];
  return summary;
}

TEST(CallCosts, AreToldApartByTwoRows) {
  const CaseSummary few = row(38e3, 61e3, 16), many = row(38e3, 61e3, 64);
  const auto found = call_costs({few, 16}, {many, 64});
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->each_ns, 61e3, 1e-6);
  EXPECT_NEAR(found->once_ns, 38e3, 1e-4);
  ASSERT_TRUE(found->each_95_ns);
  EXPECT_LT(found->each_95_ns->low, 61e3);
  EXPECT_GT(found->each_95_ns->high, 61e3);
}

TEST(CallCosts, AreAsUncertainAsTheirRows) {
  const CaseSummary few = row(0, 100, 16), calm = row(0, 100, 64), noisy = row(0, 100, 64, 5);
  const auto sure = call_costs({few, 16}, {calm, 64}), unsure = call_costs({few, 16}, {noisy, 64});
  EXPECT_GT(unsure->each_95_ns->high, sure->each_95_ns->high + 5);
}

TEST(CallCosts, LieWithinTheirInterval) {
  CaseSummary few = row(0, 100, 16), many = row(0, 100, 64, 0);
  few.medians_ns = {100, 100, 100, 100, 100, 100, 100, 110, 110, 110, 110, 110};
  few.median_ns = 100;
  const auto found = call_costs({few, 16}, {many, 64});
  EXPECT_LE(found->each_95_ns->low, found->each_ns);
  EXPECT_GE(found->each_95_ns->high, found->each_ns);
}

TEST(CallCosts, AreNotKnownOfOneRow) {
  const CaseSummary some = row(1, 1, 16), none;
  EXPECT_FALSE(call_costs({some, 16}, {some, 16}));
  EXPECT_FALSE(call_costs({none, 16}, {some, 64}));
  EXPECT_FALSE(call_costs({some, 16}, {none, 64}));
}

TEST(CallCosts, OfTwoProcessesHaveNoInterval) {
  CaseSummary few = row(1, 1, 16), many = row(1, 1, 64);
  many.medians_ns.pop_back();
  EXPECT_FALSE(call_costs({few, 16}, {many, 64})->each_95_ns);
}

}  // namespace call_costs_test
}  // namespace ridgeline::analysis
