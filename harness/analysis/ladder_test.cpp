#include "harness/analysis/ladder.hpp"

#include <gtest/gtest.h>

#include "harness/store/examples.hpp"

namespace ridgeline::analysis {
namespace ladder_test {

/// A case of three processes around `ns`.
CaseSummary timed(const std::string& variant, double ns) {
  CaseSummary made;
  made.case_info = store::examples::gemm_case(variant);
  made.outcome = record::Outcome::ok;
  made.flops = made.case_info.flops;
  made.bytes = made.case_info.bytes;
  made.medians_ns = {0.99 * ns, ns, 1.01 * ns};
  made.median_ns = ns;
  return made;
}

std::string name_of(const std::string& variant) {
  return record::name(store::examples::gemm_case(variant).id);
}

Ladder ladder_of(const std::vector<std::string>& rungs,
                 const std::vector<std::string>& references) {
  Ladder ladder;
  ladder.title = "Products";
  for (const std::string& one : rungs) ladder.rungs.push_back(name_of(one));
  for (const std::string& one : references) ladder.references.push_back(name_of(one));
  return ladder;
}

TEST(Ladder, EachRungIsSetAgainstTheOneBeforeAndTheReference) {
  const ClimbedLadder climbed =
      climb(ladder_of({"naive", "tiled", "best"}, {"vendor"}),
            {timed("best", 100), timed("naive", 400), timed("tiled", 200), timed("vendor", 110)});
  ASSERT_EQ(climbed.rungs.size(), 3u);
  EXPECT_FALSE(climbed.rungs[0].over_before);
  EXPECT_DOUBLE_EQ(climbed.rungs[1].over_before->ratio, 2);
  EXPECT_DOUBLE_EQ(climbed.rungs[2].over_before->ratio, 2);
  EXPECT_DOUBLE_EQ(climbed.rungs[2].over_reference->ratio, 1.1);
  EXPECT_FALSE(climbed.references[0].over_reference);
}

TEST(Ladder, TheIntervalIsOverTheProcessesOfBothSides) {
  const CaseSummary slow = timed("naive", 400), fast = timed("tiled", 200);
  const SpeedUp gain = *speed_up(slow, fast);
  ASSERT_TRUE(gain.interval);
  EXPECT_LT(gain.interval->low, 2);
  EXPECT_GT(gain.interval->high, 2);
  EXPECT_NEAR(gain.interval->low * gain.interval->high, 4, 0.01);
  CaseSummary two = fast;
  two.medians_ns = {200, 200};
  EXPECT_FALSE(speed_up(slow, two)->interval);
  EXPECT_TRUE(speed_up(slow, two));
}

TEST(Ladder, OtherProblemsAreComparedPerOperationOrPerByte) {
  const CaseSummary own = timed("tiled", 200);
  CaseSummary copy = timed("copy", 100);
  copy.case_info.id.problem = {{"elements", "64"}};
  copy.flops = 4 * *own.flops;
  EXPECT_DOUBLE_EQ(speed_up(copy, own)->ratio, 0.125);
  copy.flops = 0;
  copy.bytes = *own.bytes / 2;
  // In 200 ns the copy would move as many bytes.
  EXPECT_DOUBLE_EQ(speed_up(copy, own)->ratio, 1);
  EXPECT_NEAR(speed_up(copy, own)->interval->high * speed_up(copy, own)->interval->low, 1, 1e-3);
  copy.bytes = std::nullopt;
  EXPECT_FALSE(speed_up(copy, own));
}

TEST(Ladder, ARoofIsComparedByWhatItDidWhateverItsProblemIsCalled) {
  CaseSummary before = timed("copy", 100), after = timed("copy", 200);
  before.case_info.id.problem = after.case_info.id.problem = {{"level", "dram"}};
  before.flops = after.flops = std::nullopt;
  after.bytes = 4 * *before.bytes;
  EXPECT_DOUBLE_EQ(speed_up(before, after)->ratio, 2);
  before.bytes = after.bytes = std::nullopt;
  EXPECT_DOUBLE_EQ(speed_up(before, after)->ratio, 0.5) << "the same work, of which is not said";
}

TEST(Ladder, WhatWasNotMeasuredHasNoRatioAndNoPlaceIsFilled) {
  CaseSummary failed;
  failed.case_info = store::examples::gemm_case("tiled");
  failed.outcome = record::Outcome::unsupported;
  const ClimbedLadder climbed =
      climb(ladder_of({"naive", "tiled", "gone", "best"}, {"vendor", "library"}),
            {timed("naive", 400), failed, timed("best", 100), timed("library", 50)});
  EXPECT_TRUE(climbed.rungs[1].summary);
  EXPECT_FALSE(climbed.rungs[1].over_before);
  EXPECT_FALSE(climbed.rungs[2].summary);
  EXPECT_FALSE(climbed.rungs[3].over_before) << "of the rung before there is no time";
  EXPECT_EQ(climbed.reference, 1u);
  EXPECT_DOUBLE_EQ(climbed.rungs[3].over_reference->ratio, 0.5);
}

TEST(Ladder, TheFastestReferenceCounts) {
  const std::vector<CaseSummary> cases{timed("naive", 400), timed("vendor", 60),
                                       timed("library", 50), timed("other", 70)};
  EXPECT_EQ(climb(ladder_of({"naive"}, {"vendor", "library", "other"}), cases).reference, 1u);
  EXPECT_FALSE(climb(ladder_of({"naive"}, {}), cases).reference);
}

}  // namespace ladder_test
}  // namespace ridgeline::analysis
