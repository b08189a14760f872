#include "harness/emulated/shared_history.hpp"

#include <string>

#include <gtest/gtest.h>

namespace ridgeline::emulated {
namespace shared_history_test {

class History : public testing::Test {
 protected:
  History() { history.begin_block(4); }

  std::string touch(int thread, Act act, std::size_t offset = 0, int bytes = 4) {
    const auto conflict = history.access(offset, bytes, act, thread);
    return conflict ? std::string(conflict->what) + " with " + std::to_string(conflict->other) : "";
  }

  SharedHistory history{256};
};

TEST_F(History, OneThreadNeverRaces) {
  for (const Act act : {Act::write, Act::read, Act::write, Act::atomic})
    EXPECT_EQ(touch(3, act), "");
}

TEST_F(History, TwoThreadsRaceWhereOneWrites) {
  EXPECT_EQ(touch(0, Act::write), "");
  EXPECT_EQ(touch(40, Act::read), "race (read after write) with 0");
  EXPECT_EQ(touch(0, Act::read, 8), "");
  EXPECT_EQ(touch(40, Act::read, 8), "");
  EXPECT_EQ(touch(40, Act::write, 8), "race (write after read) with 0");
  EXPECT_EQ(touch(0, Act::write, 16), "");
  EXPECT_EQ(touch(1, Act::write, 16), "race (write after write) with 0")
      << "lanes of one warp, too";
}

TEST_F(History, ABarrierOrdersAll) {
  touch(0, Act::write);
  history.block_barrier();
  EXPECT_EQ(touch(100, Act::read), "");
  EXPECT_EQ(touch(70, Act::read), "");
  history.block_barrier();
  EXPECT_EQ(touch(1, Act::write), "");
}

TEST_F(History, AWarpsBarrierOrdersItsLanesAlone) {
  touch(0, Act::write);
  touch(33, Act::write, 8);
  history.warp_barrier(0);
  EXPECT_EQ(touch(1, Act::read), "");
  EXPECT_EQ(touch(40, Act::read), "race (read after write) with 0");
  EXPECT_EQ(touch(2, Act::read, 8), "race (read after write) with 33");
}

TEST_F(History, AtomicsDoNotRaceWithEachOther) {
  touch(0, Act::atomic);
  EXPECT_EQ(touch(40, Act::atomic), "");
  EXPECT_EQ(touch(50, Act::read), "race (read after write) with 40");
}

TEST_F(History, BytesOfAWordAreApart) {
  touch(0, Act::write, 0, 1);
  EXPECT_EQ(touch(40, Act::write, 1, 1), "");
  EXPECT_EQ(touch(41, Act::write, 2, 2), "");
  EXPECT_EQ(touch(50, Act::read, 0, 2), "race (read after write) with 40");
}

TEST_F(History, WideAccessesTouchEveryWord) {
  touch(0, Act::write, 12);
  EXPECT_EQ(touch(40, Act::read, 0, 16), "race (read after write) with 0");
}

TEST_F(History, KnowsWhatWasWrittenInThisBlock) {
  EXPECT_FALSE(history.written(0, 4));
  touch(0, Act::write, 0, 4);
  touch(0, Act::write, 6, 2);
  EXPECT_TRUE(history.written(0, 4));
  EXPECT_TRUE(history.written(6, 2));
  EXPECT_FALSE(history.written(4, 4));
  EXPECT_FALSE(history.written(0, 8));
  EXPECT_TRUE(history.any_written(4, 4));
  EXPECT_FALSE(history.any_written(4, 2));
  EXPECT_FALSE(history.any_written(8, 1000));
  touch(0, Act::write, 4, 2);
  EXPECT_TRUE(history.written(0, 8));
  history.begin_block(4);
  EXPECT_FALSE(history.written(0, 4));
}

TEST_F(History, TheNextBlockStartsAnew) {
  touch(0, Act::write);
  history.begin_block(2);
  EXPECT_EQ(touch(40, Act::read), "");
}

TEST_F(History, AThreadThatASmallerBlockDoesNotHaveIsForgotten) {
  touch(100, Act::read);
  history.begin_block(2);
  history.block_barrier();
  EXPECT_EQ(touch(0, Act::write), "");
}

TEST_F(History, SurvivesMoreBarriersThanItsClockCounts) {
  touch(0, Act::write, 4);
  for (int i = 0; i < 70'000; ++i) {
    EXPECT_EQ(touch(i % 2 == 0 ? 0 : 40, Act::write), "") << i;
    history.block_barrier();
  }
  EXPECT_TRUE(history.written(4, 4));
  EXPECT_EQ(touch(0, Act::write), "");
  EXPECT_EQ(touch(40, Act::read), "race (read after write) with 0");
  for (int i = 0; i < 70'000; ++i) {
    history.begin_block(3);
    history.warp_barrier(1);
  }
  EXPECT_FALSE(history.written(4, 4));
}

}  // namespace shared_history_test
}  // namespace ridgeline::emulated
