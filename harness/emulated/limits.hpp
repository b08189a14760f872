#pragma once

#include <cstddef>

#include "harness/catalogue/architectures.hpp"

namespace ridgeline::emulated {

/// What the emulated architecture gives a launch. A unit is an SM. harness/catalogue has the
/// numbers of real ones.
struct Limits {
  int capability = 90;           // 10 * major + minor
  int threads = 1024;            // of a block
  std::size_t shared_bytes = 0;  // of a block, dynamic and static together
  std::size_t l2_bytes = 0;      // 0: caches are not modelled
  // For launches whose blocks run together; the rest is of a unit.
  int cluster_blocks = 1, units = 1, threads_per_unit = 2048, blocks_per_unit = 32,
      registers_per_unit = 65536;
  std::size_t shared_per_unit = 0, l1_bytes = 0;
};

/// As the emulated device is told them.
constexpr Limits limits_of(const catalogue::Architecture& of) {
  return {.capability = of.capability,
          .threads = of.threads_per_block,
          .shared_bytes = of.shared_per_block,
          .l2_bytes = of.l2,
          .cluster_blocks = of.cluster_blocks,
          .units = of.sms,
          .threads_per_unit = of.threads_per_sm,
          .blocks_per_unit = of.blocks_per_sm,
          .registers_per_unit = of.registers_per_sm,
          .shared_per_unit = of.shared_per_sm,
          .l1_bytes = of.l1};
}

}  // namespace ridgeline::emulated
