#include <gtest/gtest.h>

#include "harness/gate/setup.hpp"

namespace ridgeline::gate {
namespace block_test {

TEST(GateBlock, IsTheShortestWhereThatIsLongAgainstEverythingElse) {
  EXPECT_DOUBLE_EQ(block_s(0.1, 10, {0, 0}), 0.1);
  EXPECT_DOUBLE_EQ(block_s(0.1, 10, {0.05, 0.03}), 0.1);
}

TEST(GateBlock, GrowsWithWhatIsAroundItAndWithItsSamples) {
  EXPECT_DOUBLE_EQ(block_s(0.1, 10, {0.1, 0}), 0.175);  // both sides together 3.5 times as long
  EXPECT_DOUBLE_EQ(block_s(0.1, 10, {0, 0.08}),
                   0.2);  // five samples per side, which take 0.04 s each
  EXPECT_DOUBLE_EQ(block_s(0.1, 10, {0.1, 0.08}), 0.2);  // whichever is more
}

TEST(GateBlock, LeavesTheBudgetItsRounds) {
  EXPECT_DOUBLE_EQ(block_s(0.1, 0.5, {0.2, 0}),
                   0.15);  // 0.5 s less 0.2 s around it, of which a side has half
  EXPECT_DOUBLE_EQ(block_s(0.1, 0.1, {0.2, 0}), 0.1);  // nothing is left: the shortest all the same
}

TEST(GateBlock, GrowsWithPreparingWithoutBoundsWhereTheBudgetHasRoom) {
  EXPECT_DOUBLE_EQ(block_s(0.1, 100, {1, 0}), 1.75);
  EXPECT_DOUBLE_EQ(block_s(0.1, 100, {4, 0}), 7);
}

TEST(GateBlock, OfLongSamplesIsBounded) { EXPECT_DOUBLE_EQ(block_s(0.1, 100, {0, 5}), 0.5); }

TEST(GateBlock, OfWhatIsDearToPrepareIsAPartOfThatWhateverTheBudget) {
  EXPECT_DOUBLE_EQ(block_s(0.1, 1, {4, 0}), 1);
}

}  // namespace block_test
}  // namespace ridgeline::gate
