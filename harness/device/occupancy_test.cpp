#include "harness/device/occupancy.hpp"

#include <gtest/gtest.h>

#include "harness/base/error.hpp"

namespace ridgeline::device {
namespace occupancy_test {

Facts sm(int capability) {
  Facts facts;
  facts.id = "synthetic";
  facts.capability = capability;
  facts.warp_size = 32;
  facts.max_threads_per_unit = 2048;
  facts.max_threads_per_block = 1024;
  facts.max_blocks_per_unit = 32;
  facts.registers_per_unit = 65536;
  facts.shared_per_unit = (capability == 90 ? 228u : 164u) << 10;
  facts.shared_per_block = (capability == 90 ? 227u : 163u) << 10;
  return facts;
}

struct Row {
  int capability, threads, registers;
  std::uint64_t static_shared, dynamic_shared;
  int blocks;
  double fraction;
  const char* limit;
};

// Each by hand from the rules in the header.
TEST(Occupancy, FollowsTheCalculatorsRules) {
  const Row table[] = {
      {80, 256, 32, 0, 0, 8, 1.0, "warps"},
      {80, 1024, 32, 0, 0, 2, 1.0, "warps"},
      {80, 32, 16, 0, 0, 32, 0.5, "blocks"},
      {80, 1, 16, 0, 0, 32, 0.5, "blocks"},
      {80, 33, 16, 0, 0, 32, 1.0, "warps"},
      // 40 registers: 1280 a warp, 12 warps in a part of 16384, 48 in all.
      {80, 256, 40, 0, 0, 6, 0.75, "registers"},
      // 37 go as 40: 1184 rounds up to 1280.
      {80, 256, 37, 0, 0, 6, 0.75, "registers"},
      {80, 256, 33, 0, 0, 6, 0.75, "registers"},
      {80, 128, 255, 0, 0, 2, 0.125, "registers"},
      {80, 256, 64, 0, 0, 4, 0.5, "registers"},
      // 1536 a warp: 10 in a part, so 40 in all; 65536 registers in one part would have 42.
      {80, 64, 48, 0, 0, 20, 0.625, "registers"},
      // 65 go as 72, and 32 such warps need 73728.
      {80, 1024, 65, 0, 0, 0, 0, "registers"},
      {80, 128, 256, 0, 0, 0, 0, "registers"},
      // 163 KiB and the system's own fill an SM's 164; 81 KiB twice; 81 KiB and a byte but once.
      {80, 256, 32, 0, 163 << 10, 1, 0.125, "shared memory"},
      {80, 256, 32, 0, 81 << 10, 2, 0.25, "shared memory"},
      {80, 256, 32, 1, 81 << 10, 1, 0.125, "shared memory"},
      {80, 256, 32, 1, 163 << 10, 0, 0, "shared memory"},
      {90, 256, 32, 0, 227 << 10, 1, 0.125, "shared memory"},
      {90, 256, 32, 113 << 10, 0, 2, 0.25, "shared memory"},
      {90, 256, 32, 24 << 10, 8 << 10, 6, 0.75, "shared memory"},
      {90, 1025, 32, 0, 0, 0, 0, "warps"},
  };
  for (const Row& row : table) {
    const Occupancy occupancy = theoretical_occupancy(
        sm(row.capability), {.registers = row.registers, .static_shared_bytes = row.static_shared},
        row.threads, row.dynamic_shared);
    const auto what = testing::Message() << row.threads << " threads, " << row.registers
                                         << " registers, " << row.static_shared << " + "
                                         << row.dynamic_shared << " B on " << row.capability;
    EXPECT_EQ(occupancy.blocks, row.blocks) << what;
    EXPECT_DOUBLE_EQ(occupancy.fraction, row.fraction) << what;
    EXPECT_EQ(occupancy.limit, row.limit) << what;
    EXPECT_EQ(occupancy.warps, row.blocks * ((row.threads + 31) / 32)) << what;
  }
}

TEST(Occupancy, OfNothingIsRefused) {
  EXPECT_THROW(theoretical_occupancy(sm(90), {}, 0, 0), Error);
  EXPECT_THROW(theoretical_occupancy(sm(75), {}, 32, 0), Error);
  EXPECT_THROW(theoretical_occupancy({}, {}, 32, 0), Error);
}

}  // namespace occupancy_test
}  // namespace ridgeline::device
