#include "kernels/decode/cut.hpp"

#include <algorithm>

#include <gtest/gtest.h>

#include "kernels/decode/decode.hpp"

namespace ridgeline::decode {
namespace cut_test {

TEST(Parts, FillTheBlocksAndAreNeverEmpty) {
  EXPECT_EQ(parts_of(8, 1000, 132), 16);
  EXPECT_EQ(parts_of(8, 3, 132), 3) << "no more than tiles";
  EXPECT_EQ(parts_of(200, 1000, 132), 1) << "heads alone fill them";
  EXPECT_EQ(parts_of(0, 1000, 132), 132) << "without heads nothing is divided";
}

TEST(Cut, GivesEachUnitToOneBlockAndEqualSharesToAll) {
  for (const int heads : {1, 2, 8, 24, 132, 133, 200, 528})
    for (const int units : {1, 2, 49, 313})
      for (const int most : {1, 7, 132}) {
        const Cut cut = cut_for(heads, units, most, 1);
        ASSERT_GE(cut.blocks, 1);
        ASSERT_LE(cut.blocks, most);
        EXPECT_EQ(cut.begin(0), 0);
        EXPECT_EQ(cut.begin(cut.blocks), heads * units);
        const int least = heads * units / cut.blocks;
        for (int block = 0; block < cut.blocks; ++block) {
          const int begin = cut.begin(block), end = cut.begin(block + 1);
          ASSERT_GE(end - begin, std::max(least, 1));
          ASSERT_LE(end - begin, least + 1);
          ASSERT_EQ(cut.block_of(begin), block);
          ASSERT_EQ(cut.block_of(end - 1), block);
        }
      }
}
TEST(Cut, EndsWhereHeadsEndIfFewSmsIdleThen) {
  EXPECT_EQ(cut_for(8, 100, 132, 1).blocks, 128);
  EXPECT_EQ(cut_for(512, 100, 132, 1).blocks, 128);
  EXPECT_EQ(cut_for(40, 100, 132, 1).blocks, 120);
  EXPECT_EQ(cut_for(90, 100, 132, 1).blocks, 132) << "a third would idle";
  EXPECT_EQ(cut_for(8, 3, 132, 1).blocks, 24) << "no more than there are units";
  EXPECT_EQ(cut_for(8, 15, 132, 8).blocks, 8) << "no more than have enough units";
}

}  // namespace cut_test
}  // namespace ridgeline::decode
