#include "harness/emulated/cache_model.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "harness/emulated/global_memory.hpp"

namespace ridgeline::emulated {
namespace cache_model_test {

constexpr std::uint64_t rd = LineTouch::reads, wr = LineTouch::writes;

/// Memory of 1000 lines, and a cache of four.
struct Lab {
  GlobalMemory memory;
  CacheModel cache{4 * line_bytes};
  std::uint64_t base = reinterpret_cast<std::uint64_t>(memory.allocate(1000 * line_bytes, "array"));

  LineTouch at(std::uint64_t line, std::uint64_t kind, std::uint64_t sector = 0) const {
    return LineTouch::of(base + line * line_bytes + 32 * sector, kind);
  }
  CacheModel::Traffic of(std::vector<LineTouch> touched) {
    cache.take_block(0, std::move(touched));
    return cache.end_launch();
  }
};

TEST(CacheModel, FetchesEachPairOfSectorsOnce) {
  Lab lab;
  const auto traffic =
      lab.of({lab.at(0, rd), lab.at(0, rd), lab.at(0, rd, 3), lab.at(1, rd), lab.at(0, rd, 3)});
  EXPECT_EQ(traffic.read_bytes, 3u * 64);
  EXPECT_EQ(traffic.written_bytes, 0u);
  EXPECT_EQ(lab.of({lab.at(0, rd, 2), lab.at(0, rd, 3)}).read_bytes, 64u)
      << "the neighbour came along";
  EXPECT_EQ(lab.of({lab.at(0, rd, 1), lab.at(0, rd, 2)}).read_bytes, 128u) << "of two pairs";
  EXPECT_EQ(lab.of({lab.at(0, wr, 0), lab.at(0, rd, 1)}).read_bytes, 64u)
      << "half a pair is not fetched alone";
}

TEST(CacheModel, TheLineThatWasUnusedForTheLongestTimeMakesRoom) {
  Lab lab;
  const auto round = [&](std::uint64_t lines) {
    std::vector<LineTouch> touched;
    for (int again = 0; again < 3; ++again)
      for (std::uint64_t i = 0; i < lines; ++i) touched.push_back(lab.at(i, rd));
    return lab.of(touched).read_bytes;
  };
  EXPECT_EQ(round(4), 4u * 64) << "they fit";
  EXPECT_EQ(round(5), 15u * 64) << "each makes room just before it is used again";
  const auto kept = lab.of({lab.at(0, rd), lab.at(1, rd), lab.at(2, rd), lab.at(3, rd),
                            lab.at(0, rd), lab.at(4, rd), lab.at(0, rd), lab.at(1, rd)});
  EXPECT_EQ(kept.read_bytes, 6u * 64) << "line 1 made room, line 0 did not";
}

TEST(CacheModel, WritesBackWhatIsWrittenOnce) {
  Lab lab;
  EXPECT_EQ(lab.of({lab.at(0, wr), lab.at(0, wr), lab.at(0, wr, 1)}).written_bytes, 2u * 32);
  const auto filled = lab.of({lab.at(0, wr), lab.at(0, rd)});
  EXPECT_EQ(filled.read_bytes, 0u) << "what was written is there";
  std::vector<LineTouch> again = {lab.at(0, wr)};
  for (std::uint64_t i = 1; i < 5; ++i) again.push_back(lab.at(i, rd));
  again.push_back(lab.at(0, wr));
  EXPECT_EQ(lab.of(again).written_bytes, 2u * 32) << "it made room between";
  const auto atomic = lab.of({lab.at(7, rd | wr)});
  EXPECT_EQ(atomic.read_bytes, 64u);
  EXPECT_EQ(atomic.written_bytes, 32u);
}

TEST(CacheModel, TakesBlocksInTheOrderOfTheirNumbers) {
  Lab lab;
  const std::vector<LineTouch> first = {lab.at(0, rd), lab.at(1, rd), lab.at(2, rd), lab.at(3, rd)},
                               second = {lab.at(4, rd), lab.at(0, rd)};
  for (const bool turned : {false, true}) {
    lab.cache.take_block(turned ? 1 : 0, turned ? second : first);
    lab.cache.take_block(turned ? 0 : 1, turned ? first : second);
    EXPECT_EQ(lab.cache.end_launch().read_bytes, 6u * 64)
        << turned << ": the other order reads 5 pairs of sectors";
  }
}

TEST(CacheModel, ForgetsAtTheEndOfALaunch) {
  Lab lab;
  for (int launch = 0; launch < 2; ++launch) EXPECT_EQ(lab.of({lab.at(0, rd)}).read_bytes, 64u);
}

}  // namespace cache_model_test
}  // namespace ridgeline::emulated
