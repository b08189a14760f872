#include "harness/emulated/traffic.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace ridgeline::emulated {
namespace traffic_test {

using Addresses = std::vector<std::uint64_t>;

Addresses of_lanes(int lanes, const std::function<std::uint64_t(std::uint64_t)>& address) {
  Addresses made;
  for (int lane = 0; lane < lanes; ++lane)
    made.push_back(address(static_cast<std::uint64_t>(lane)));
  return made;
}

/// Words of 4 bytes, so many apart.
Addresses strided(std::uint64_t stride) {
  return of_lanes(32, [stride](std::uint64_t lane) { return 4 * lane * stride; });
}

int wavefronts_of(const Addresses& addresses, int bytes) {
  std::vector<std::uint8_t> lanes(addresses.size());
  std::iota(lanes.begin(), lanes.end(), std::uint8_t{0});
  return wavefronts(addresses, lanes, bytes);
}

TEST(Sectors, AreThoseThatAreTouched) {
  for (const auto& [stride, expected] :
       {std::pair{1u, 4}, {2, 8}, {4, 16}, {8, 32}, {16, 32}, {0, 1}})
    EXPECT_EQ(sectors(strided(stride)), expected) << stride;
  EXPECT_EQ(sectors(of_lanes(32, [](auto lane) { return 16 * lane; })), 16);
  EXPECT_EQ(sectors(of_lanes(32, [](auto lane) { return 4 * lane + 4; })), 5)
      << "not aligned to a sector";
  EXPECT_EQ(sectors(of_lanes(1, [](auto) { return 100; })), 1);
  EXPECT_EQ(sectors({}), 0);
}

TEST(Sectors, DoNotDependOnTheOrderOfLanes) {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 200; ++trial) {
    Addresses addresses = of_lanes(1 + trial % 32, [&](auto) { return random() % 2000 * 4; });
    std::set<std::uint64_t> touched;
    for (const std::uint64_t address : addresses) touched.insert(address / 32);
    EXPECT_EQ(sectors(addresses), static_cast<int>(touched.size()));
  }
}

TEST(Wavefronts, AreTheMostWordsOfABank) {
  for (const auto& [stride, expected] :
       {std::pair{1u, 1}, {2, 2}, {3, 1}, {4, 4}, {8, 8}, {16, 16}, {32, 32}, {33, 1}, {0, 1}})
    EXPECT_EQ(wavefronts_of(strided(stride), 4), expected) << stride;
  EXPECT_EQ(wavefronts_of(of_lanes(32, [](auto lane) { return lane / 2 * 4; }), 4), 1)
      << "the same words are read together";
  EXPECT_EQ(wavefronts_of(of_lanes(32, [](auto lane) { return lane; }), 1), 1)
      << "bytes of the same words";
  EXPECT_EQ(wavefronts_of(of_lanes(32, [](auto lane) { return lane % 2 * 128 + lane; }), 1), 2);
}

TEST(Wavefronts, OfWideAccessesAreThoseOfTheirParts) {
  EXPECT_EQ(wavefronts_of(of_lanes(32, [](auto lane) { return 8 * lane; }), 8), 2);
  EXPECT_EQ(wavefronts_of(of_lanes(32, [](auto lane) { return 16 * lane; }), 16), 4);
  EXPECT_EQ(wavefronts_of(of_lanes(32, [](auto lane) { return 128 * lane; }), 16), 32)
      << "eight lanes in the same banks";
  EXPECT_EQ(wavefronts_of(of_lanes(32, [](auto lane) { return 144 * lane; }), 16), 4)
      << "rows padded by 16 bytes";
  EXPECT_EQ(wavefronts_of(of_lanes(8, [](auto lane) { return 16 * lane; }), 16), 1);
}

TEST(Wavefronts, OfWideAccessesAreAsMeasuredOnAnH200) {
  const struct {
    std::function<std::uint64_t(std::uint64_t)> index;  // of the word of 8 or 16 bytes that a lane
                                                        // reads
    int of_8, of_16;
  } cases[] = {
      {[](auto) { return 0; }, 1, 2},
      {[](auto lane) { return lane / 16; }, 1, 2},
      {[](auto lane) { return lane / 16 * 8; }, 1, 2},
      {[](auto lane) { return lane / 8 * 8; }, 2, 4},
      {[](auto lane) { return lane / 2; }, 1, 2},
      {[](auto lane) { return lane % 2; }, 1, 2},
      {[](auto lane) { return lane % 2 * 8; }, 1, 4},
      {[](auto lane) { return lane / 4 * 2 + lane % 2; }, 1, 2},
      {[](auto lane) { return lane % 4; }, 2, 4},
      {[](auto lane) { return lane % 8; }, 2, 4},
      {[](auto lane) { return lane % 16; }, 2, 4},
      {[](auto lane) { return lane ^ 4; }, 2, 4},
      {[](auto lane) { return lane < 8 ? 0 : lane; }, 2, 4},
      {[](auto lane) { return lane % 2 != 0 ? 0 : lane; }, 3, 7},
      {[](auto lane) { return lane * 2; }, 4, 8},
      {[](auto lane) { return lane / 2 * 8; }, 8, 16},
      {[](auto lane) { return lane * 8; }, 16, 32},
      {[](auto lane) { return lane < 16 ? 0 : lane; }, 2, 4},
      {[](auto lane) { return lane < 16 ? lane / 2 : 20 + lane % 2; }, 2, 4},
      {[](auto lane) { return lane == 5 ? 40 : lane / 2; }, 2, 5},
      {[](auto lane) { return lane < 24 ? lane / 2 : lane; }, 3, 4},
  };
  for (std::size_t i = 0; i < std::size(cases); ++i) {
    EXPECT_EQ(wavefronts_of(of_lanes(32, [&](auto lane) { return 8 * cases[i].index(lane); }), 8),
              cases[i].of_8)
        << i;
    EXPECT_EQ(wavefronts_of(of_lanes(32, [&](auto lane) { return 16 * cases[i].index(lane); }), 16),
              cases[i].of_16)
        << i;
  }
}

TEST(Wavefronts, GoByLaneNumbersAndNotByHowManyAreActive) {
  const Addresses two{0, 16};
  const std::vector<std::uint8_t> neighbours{0, 1}, in_two_groups{0, 31};
  EXPECT_EQ(wavefronts(two, neighbours, 16), 1);
  EXPECT_EQ(wavefronts(two, in_two_groups, 16), 2);
}

TEST(CopiedSectors, AreAsAGpuCountsThem) {
  // Lane i copies 16 bytes from source(i) to destination(i). The sectors were measured on an H100
  // (CUDA 13.0, l1tex__t_sectors_pipe_lsu_mem_global_op_ld), both arrays beginning at a multiple of
  // 128.
  using Place = std::function<std::uint64_t(std::uint64_t)>;
  const Place row = [](auto i) { return 16 * i; }, behind = [](auto i) { return 16 * i + 16; };
  const auto strided = [](std::uint64_t bytes) -> Place {
    return [bytes](auto i) { return bytes * i; };
  };
  const auto pairs = [](std::uint64_t bytes) -> Place {
    return [bytes](auto i) { return i / 2 * bytes + i % 2 * 16; };
  };
  const auto rows = [](std::uint64_t lanes, std::uint64_t bytes) -> Place {
    return [lanes, bytes](auto i) { return i / lanes * bytes + i % lanes * 16; };
  };
  const struct {
    Place source, destination;
    int sectors;
  } measured[] = {
      {row, row, 16},
      {row, behind, 20},
      {behind, row, 20},
      {behind, behind, 17},
      {row, strided(32), 32},
      {row, strided(48), 32},
      {strided(128), row, 32},
      {strided(32), row, 16},
      {row, pairs(64), 16},
      {pairs(64), row, 16},
      {row, rows(8, 144), 18},
      {row, rows(8, 160), 16},
      {row, rows(8, 192), 16},
      {row, rows(4, 80), 20},
      {row, [](auto i) { return (31 - i) * 16; }, 16},
      {[](auto i) { return (i ^ 1) * 16; }, row, 16},
      {row, [](auto i) { return i * 5 % 32 * 16; }, 32},
      {row, [](auto i) { return i % 2 * 1024 + i / 2 * 16; }, 16},
      {row, [](auto i) { return i / 8 * 128 + (i % 8 ^ i / 8) * 16; }, 16},
  };
  for (const auto& [source, destination, expected] : measured)
    EXPECT_EQ(copied_sectors(of_lanes(32, source), of_lanes(32, destination)), expected)
        << &source - &measured->source;
  EXPECT_EQ(copied_sectors({}, {}), 0);
}

}  // namespace traffic_test
}  // namespace ridgeline::emulated
