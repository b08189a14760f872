#include "harness/emulated/global_memory.hpp"

#include <cstring>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace ridgeline::emulated {
namespace global_memory_test {

std::uint64_t address(const void* memory, std::int64_t offset = 0) {
  return reinterpret_cast<std::uint64_t>(memory) + static_cast<std::uint64_t>(offset);
}

/// What is wrong with one access of thread 0.
GlobalMemory::Mistake touch_alone(GlobalMemory& memory, std::uint64_t at, int bytes, Act act,
                                  std::uint32_t block) {
  SharedHistory history(64);
  history.begin_block(1);
  const std::uint8_t thread[] = {0};
  std::size_t next = 0;
  return memory
      .touch({std::span(&at, 1), thread, 0, bytes, act}, next,
             {.block = block, .strong = act == Act::atomic}, history)
      .value_or(GlobalMemory::Mistake{});
}

TEST(GlobalMemory, KnowsWhatIsInside) {
  GlobalMemory memory;
  char* const made = static_cast<char*>(memory.allocate(100, "made"));
  std::memset(made, 7, 100);
  EXPECT_EQ(address(made) % 256, 0u);
  EXPECT_TRUE(is_global(address(made)));
  EXPECT_TRUE(is_inside(address(made), 16));
  EXPECT_TRUE(is_inside(address(made, 96), 4));
  EXPECT_FALSE(is_inside(address(made, 97), 4));
  EXPECT_FALSE(is_inside(address(made, -1), 1));
  EXPECT_FALSE(is_inside(address(made, 1 << 30), 1));
  EXPECT_EQ(memory.describe(address(made, 104)), "made of 100 bytes + 104");
  EXPECT_EQ(memory.describe(address(made, -8)), "made of 100 bytes - 8");
  memory.release(made);
  EXPECT_FALSE(is_inside(address(made), 1));
  EXPECT_EQ(memory.describe(address(made)), "made of 100 bytes, which is freed, + 0");
  int local = 0;
  EXPECT_FALSE(is_global(address(&local)));
}

TEST(GlobalMemory, ThereIsOneAtATime) {
  {
    const GlobalMemory first;
    EXPECT_THROW(GlobalMemory(), Error);
  }
  GlobalMemory again;
  EXPECT_NE(again.allocate(0, "nothing"), nullptr);
}

TEST(GlobalMemory, RefusesWhatItCannotHold) {
  GlobalMemory memory;
  EXPECT_THROW(memory.allocate(std::size_t{3} << 30, "large"), OutOfMemory);
  for (std::size_t i = 0; i + 1 < slots; ++i) memory.allocate(8, "small");
  EXPECT_THROW(memory.allocate(8, "one more"), OutOfMemory);
}

TEST(GlobalMemory, KnowsWhatWasWritten) {
  GlobalMemory memory;
  const void* const made = memory.allocate(64, "made");
  const auto written = [&](std::int64_t offset, int bytes) {
    return !touch_alone(memory, address(made, offset), bytes, Act::read, 0).unwritten;
  };
  const auto write = [&](std::int64_t offset, int bytes) {
    touch_alone(memory, address(made, offset), bytes, Act::write, 0);
  };
  EXPECT_FALSE(written(0, 4));
  write(0, 4);
  EXPECT_TRUE(written(0, 4));
  EXPECT_FALSE(written(0, 8));
  write(16, 16);
  EXPECT_TRUE(written(16, 16));
  EXPECT_TRUE(written(24, 8));
  EXPECT_FALSE(written(32, 1));
  memory.mark(static_cast<const char*>(made) + 3, 30, true);
  for (int i = 3; i < 33; ++i) EXPECT_TRUE(written(i, 1)) << i;
  EXPECT_FALSE(written(33, 1));
  EXPECT_TRUE(memory.any_written(address(made, 32), 16));
  EXPECT_FALSE(memory.any_written(address(made, 33), 16));
  EXPECT_FALSE(memory.any_written(address(made, 33), 64)) << "not inside";
  memory.mark(made, 64, true);
  EXPECT_TRUE(written(60, 4));
  memory.mark(made, 64, false);
  EXPECT_FALSE(written(0, 4));
}

TEST(GlobalMemory, BlocksThatShareAWordRace) {
  GlobalMemory memory;
  const std::uint64_t made = address(memory.allocate(64, "made"));
  memory.begin_launch(6);
  const auto touch = [&](std::uint64_t at, int bytes, Act act, std::uint32_t block) {
    const char* const race = touch_alone(memory, at, bytes, act, block).race.what;
    return std::string(race == nullptr ? "" : race);
  };
  EXPECT_EQ(touch(made, 4, Act::write, 0), "");
  EXPECT_EQ(touch(made, 4, Act::read, 0), "");
  EXPECT_EQ(touch(made, 4, Act::read, 1), "race between blocks (read after write)");
  EXPECT_EQ(touch(made + 4, 4, Act::read, 0), "");
  EXPECT_EQ(touch(made + 4, 4, Act::read, 1), "");
  EXPECT_EQ(touch(made + 4, 4, Act::write, 1), "race between blocks (write after access)");
  EXPECT_EQ(touch(made + 8, 4, Act::atomic, 0), "");
  EXPECT_EQ(touch(made + 8, 4, Act::atomic, 1), "");
  EXPECT_EQ(touch(made + 8, 4, Act::read, 2), "race between blocks (read after write)");
  EXPECT_EQ(touch(made + 16, 16, Act::write, 0), "");
  EXPECT_EQ(touch(made + 28, 4, Act::write, 1), "race between blocks (write after access)");
  EXPECT_EQ(touch(made + 32, 2, Act::write, 0), "");
  EXPECT_EQ(touch(made + 34, 2, Act::write, 1), "") << "the other half of the word";
  EXPECT_EQ(touch(made + 32, 4, Act::read, 2), "race between blocks (read after write)");
  EXPECT_EQ(touch(made + 33, 1, Act::read, 1), "race between blocks (read after write)");
  EXPECT_EQ(touch(made + 40, 2, Act::read, 0), "");
  EXPECT_EQ(touch(made + 42, 2, Act::read, 1), "");
  EXPECT_EQ(touch(made + 40, 2, Act::write, 0), "") << "each block has read its half alone";
  EXPECT_EQ(touch(made + 42, 2, Act::write, 1), "");
  EXPECT_EQ(touch(made + 40, 4, Act::read, 1), "race between blocks (read after write)");
  memory.begin_launch(6);
  EXPECT_EQ(touch(made, 4, Act::write, 5), "");
}

TEST(GlobalMemory, ALaunchForgetsTheLastOneHoweverManyBlocksThereWere) {
  GlobalMemory memory;
  const std::uint64_t made = address(memory.allocate(64, "made"));
  const auto race = [&](Act act, std::uint32_t block) {
    const char* const what = touch_alone(memory, made, 4, act, block).race.what;
    return std::string(what == nullptr ? "" : what);
  };
  // More than there are numbers, all that there are, few again.
  for (const std::uint64_t blocks : {std::uint64_t{1} << 40, std::uint64_t{1} << 26,
                                     std::uint64_t{1} << 26, std::uint64_t{6}, std::uint64_t{6}}) {
    memory.begin_launch(blocks);
    EXPECT_EQ(race(Act::read, 4), "") << blocks;
    EXPECT_EQ(race(Act::read, 5), "") << blocks;
    EXPECT_EQ(race(Act::write, 5), "race between blocks (write after access)") << blocks;
    EXPECT_EQ(race(Act::read, 3), "race between blocks (read after write)") << blocks;
  }
}

TEST(GlobalMemory, GoesOnBehindEachMistakeOfAWarp) {
  GlobalMemory memory;
  memory.begin_launch(1);
  SharedHistory history(64);
  history.begin_block(1);
  char* const one = static_cast<char*>(memory.allocate(256, "one"));
  char* const other = static_cast<char*>(memory.allocate(256, "other"));
  memory.mark(one, 64, true);
  memory.mark(other, 256, true);
  // Thread 2 reads what nobody has written, threads 4 and 6 write what thread 5 reads and writes.
  const std::uint64_t reads[] = {address(one), address(one, 60), address(one, 64),
                                 address(other, 128)};
  const std::uint64_t writes[] = {address(one, 128), address(other, 128), address(one, 128)};
  const std::uint8_t readers[] = {0, 1, 2, 5}, writers[] = {5, 6, 4};
  std::size_t next = 0;
  const auto unwritten = memory.touch({reads, readers, 0, 4, Act::read}, next, {}, history);
  ASSERT_TRUE(unwritten.has_value());
  EXPECT_EQ(unwritten->access, 2u);
  EXPECT_TRUE(unwritten->unwritten);
  EXPECT_EQ(unwritten->race.what, nullptr);
  EXPECT_FALSE(memory.touch({reads, readers, 0, 4, Act::read}, next, {}, history).has_value());
  EXPECT_EQ(next, 4u);
  next = 0;
  const auto read_before = memory.touch({writes, writers, 0, 4, Act::write}, next, {}, history);
  ASSERT_TRUE(read_before.has_value());
  EXPECT_EQ(read_before->access, 1u);
  EXPECT_STREQ(read_before->race.what, "race (write after read)");
  EXPECT_EQ(read_before->race.other, 5);
  const auto written_before = memory.touch({writes, writers, 0, 4, Act::write}, next, {}, history);
  ASSERT_TRUE(written_before.has_value());
  EXPECT_EQ(written_before->access, 2u);
  EXPECT_STREQ(written_before->race.what, "race (write after write)");
  EXPECT_EQ(written_before->race.other, 5);
  EXPECT_FALSE(memory.touch({writes, writers, 0, 4, Act::write}, next, {}, history).has_value());
  // What one thread has written, and its neighbours in the same words of marks, may be read.
  next = 0;
  const std::uint64_t back[] = {address(one, 128)};
  EXPECT_FALSE(
      memory.touch({back, std::span(writers).subspan(2), 0, 4, Act::read}, next, {}, history)
          .value_or(GlobalMemory::Mistake{})
          .unwritten);
}

}  // namespace global_memory_test
}  // namespace ridgeline::emulated
