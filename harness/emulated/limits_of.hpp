#pragma once

#include "harness/catalogue/architectures.hpp"
#include "harness/emulated/limits.hpp"

namespace ridgeline::emulated {

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
