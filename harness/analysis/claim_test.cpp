#include "harness/analysis/claim.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "harness/store/examples.hpp"

namespace ridgeline::analysis {
namespace claim_test {

using record::Direction;

/// A case of three processes around `ns`, with this work.
CaseSummary timed_case(double ns, double flops, double bytes) {
  CaseSummary made;
  made.case_info = store::examples::gemm_case("one");
  made.outcome = record::Outcome::ok;
  made.flops = flops;
  made.bytes = bytes;
  made.medians_ns = {0.99 * ns, ns, 1.01 * ns};
  made.median_ns = ns;
  made.interval_ns = stats::Interval{0.98 * ns, 1.02 * ns};
  return made;
}

Check check_of(Quantity quantity) {
  Check check;
  check.quantity = quantity;
  return check;
}

void expect_around(const Measured& found, double value) {
  ASSERT_TRUE(found.value) << found.lacks;
  EXPECT_NEAR(*found.value, value, 1e-9 * value);
  ASSERT_TRUE(found.interval);
  EXPECT_LT(found.interval->low, value);
  EXPECT_GT(found.interval->high, value);
  EXPECT_NEAR(found.interval->low * found.interval->high, value * value, 0.01 * value * value);
  EXPECT_FALSE(found.exact);
}

TEST(Claim, ARatioIsOfRatesAndHasTheIntervalOfBothSides) {
  CaseSummary fast = timed_case(100, 4000, 0), slow = timed_case(300, 2000, 0);
  expect_around(measured(check_of(Quantity::speed), fast, &slow, {}), 6);
  // FLOP/s over B/s.
  slow.bytes = 600;
  expect_around(measured(check_of(Quantity::ridge), fast, &slow, {}), 20);
  slow.bytes = 0;
  EXPECT_FALSE(measured(check_of(Quantity::ridge), fast, &slow, {}).value);
  EXPECT_FALSE(measured(check_of(Quantity::speed), fast, nullptr, {}).value);
}

TEST(Claim, LatenciesArePerLoad) {
  CaseSummary dram = timed_case(3000, 0, 0), l2 = timed_case(4000, 0, 0);
  EXPECT_FALSE(measured(check_of(Quantity::latency), dram, &l2, {}).value);
  dram.metrics = {{"loads", 10, "1", Direction::none}};
  l2.metrics = {{"loads", 40, "1", Direction::none}};
  expect_around(measured(check_of(Quantity::latency), dram, &l2, {}), 3);
}

TEST(Claim, AShareIsOfTheDatasheetsRoofAndNotOfAMeasuredOne) {
  Check check = check_of(Quantity::share);
  check.peak = "tensor.bf16";
  const CaseSummary of = timed_case(100, 1000, 500);  // 10 GFLOP/s, 5 GB/s
  std::vector<record::Roof> roofs{{"tensor.bf16", 1e10, "FLOP/s", "measured"}};
  EXPECT_EQ(measured(check, of, nullptr, roofs).lacks,
            "no datasheet of this device has tensor.bf16");
  roofs.push_back({"tensor.bf16", 2e10, "FLOP/s", "A datasheet"});
  roofs.push_back({"dram", 2e10, "B/s", "A datasheet"});
  const Measured found = measured(check, of, nullptr, roofs);
  EXPECT_DOUBLE_EQ(*found.value, 0.5);
  EXPECT_DOUBLE_EQ(found.interval->low, 0.5 / 1.02);
  EXPECT_DOUBLE_EQ(found.interval->high, 0.5 / 0.98);
  EXPECT_EQ(found.against, "20.0 GFLOP/s, tensor.bf16 of A datasheet");
  check.peak = "dram";
  EXPECT_DOUBLE_EQ(*measured(check, of, nullptr, roofs).value, 0.25);
}

TEST(Claim, IntensityIsOverLeastBytesOrOverThoseThatCountersSaw) {
  Check check = check_of(Quantity::intensity);
  CaseSummary of = timed_case(100, 1000, 500);
  EXPECT_DOUBLE_EQ(*measured(check, of, nullptr, {}).value, 2);
  EXPECT_TRUE(measured(check, of, nullptr, {}).exact);
  check.counted_bytes = true;
  EXPECT_EQ(measured(check, of, nullptr, {}).lacks, "no good result has hardware counters");
  of.metrics = {{"hardware_dram_read_bytes", 900, "B", Direction::lower},
                {"hardware_dram_written_bytes", 100, "B", Direction::lower}};
  EXPECT_DOUBLE_EQ(*measured(check, of, nullptr, {}).value, 1);
  of.flops = 0;
  EXPECT_FALSE(measured(check, of, nullptr, {}).value);
}

TEST(Claim, GrowthIsAPowerOfAField) {
  Check check = check_of(Quantity::growth);
  check.by = "n";
  CaseSummary large = timed_case(100, 1, 1), small = timed_case(100, 1, 1);
  large.case_info = store::examples::gemm_case("one", 256);
  small.case_info = store::examples::gemm_case("one", 64);
  EXPECT_EQ(measured(check, large, &small, {}).lacks,
            "these cases do not say how much memory they need");
  large.metrics = {{"memory_bytes", 1600, "B", Direction::lower}};
  small.metrics = {{"memory_bytes", 100, "B", Direction::lower}};
  EXPECT_DOUBLE_EQ(*measured(check, large, &small, {}).value, 2);
  check.by = "seq";
  EXPECT_EQ(measured(check, large, &small, {}).lacks, "these cases do not differ in seq");
  check.by = "n";
  large.case_info.id.problem[1].value = "many";
  EXPECT_FALSE(measured(check, large, &small, {}).value);
}

TEST(Claim, AnIntervalThatContainsTheBorderTellsNothing) {
  struct Row {
    double low, high;
    Border border;
    ClaimVerdict verdict;
  };
  const Border about{.about = 10}, least{.at_least = 10}, most{.at_most = 10},
      between{.at_least = 2, .at_most = 4};
  const Row rows[] = {
      {9.1, 10.9, about, ClaimVerdict::holds},
      {8.9, 10.9, about, ClaimVerdict::cannot_be_told},
      {8.0, 8.9, about, ClaimVerdict::does_not_hold},
      {11.1, 12, about, ClaimVerdict::does_not_hold},
      {8, 12, about, ClaimVerdict::cannot_be_told},
      {10.1, 11, least, ClaimVerdict::holds},
      {9.9, 11, least, ClaimVerdict::cannot_be_told},
      {9, 9.9, least, ClaimVerdict::does_not_hold},
      {9, 9.9, most, ClaimVerdict::holds},
      {9.9, 10.1, most, ClaimVerdict::cannot_be_told},
      {10.1, 11, most, ClaimVerdict::does_not_hold},
      {2.1, 3.9, between, ClaimVerdict::holds},
      {3.9, 4.1, between, ClaimVerdict::cannot_be_told},
      {4.1, 5, between, ClaimVerdict::does_not_hold},
  };
  for (const auto& [low, high, border, verdict] : rows) {
    const Measured found{.value = (low + high) / 2, .interval = stats::Interval{low, high}};
    EXPECT_EQ(judge(found, border), verdict) << low << " to " << high;
  }
}

TEST(Claim, ATimeWithoutAnIntervalTellsNothingAndACountDoes) {
  const Border least{.at_least = 10};
  EXPECT_EQ(judge(Measured{}, least), ClaimVerdict::not_measured);
  EXPECT_EQ(judge(Measured{.value = 100}, least), ClaimVerdict::cannot_be_told);
  EXPECT_EQ(judge(Measured{.value = 100, .exact = true}, least), ClaimVerdict::holds);
  EXPECT_EQ(judge(Measured{.value = 1, .exact = true}, least), ClaimVerdict::does_not_hold);
}

TEST(Claim, AClaimHoldsWhereAllOfItsChecksDo) {
  using enum ClaimVerdict;
  EXPECT_EQ(judge({holds, holds}), holds);
  EXPECT_EQ(judge({does_not_hold, does_not_hold}), does_not_hold);
  EXPECT_EQ(judge({holds, does_not_hold, not_measured}), holds_only_when);
  EXPECT_EQ(judge({does_not_hold, cannot_be_told}), does_not_hold);
  EXPECT_EQ(judge({holds, not_measured}), holds_where_told);
  EXPECT_EQ(judge({holds, cannot_be_told}), holds_where_told);
  EXPECT_EQ(judge({not_measured, cannot_be_told}), cannot_be_told);
  EXPECT_EQ(judge({not_measured, not_measured}), not_measured);
}

TEST(Claim, OnlyAGoodResultStandsForACase) {
  CaseSummary of = timed_case(100, 1, 1);
  EXPECT_TRUE(is_good(of));
  of.disturbed = true;
  EXPECT_FALSE(is_good(of));
  of.disturbed = false;
  of.beats_roof = true;
  EXPECT_FALSE(is_good(of));
  of.beats_roof = false;
  of.outcome = record::Outcome::unstable;
  EXPECT_FALSE(is_good(of));
}

}  // namespace claim_test
}  // namespace ridgeline::analysis
