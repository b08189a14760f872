#pragma once

#include <algorithm>
#include <cstdint>

#include "harness/device/random.hpp"

namespace ridgeline::decode {

/// The units of all heads, one head's after the other, cut into equal ranges, a block each. A range
/// may end one head and begin another; cut_for() avoids that where it can. Numbers of units are
/// int: 2^31 of them would be terabytes.
struct Cut {
  int units, heads, blocks;  // units of a head; at least 1
  int share, rest;           // heads * units = blocks * share + rest

  /// The first unit of a block, counted over all heads; the last block's end, for `block` = blocks.
  RIDGELINE_HOST_DEVICE int begin(int block) const { return block * share + block * rest / blocks; }
  /// The block that has a unit.
  RIDGELINE_HOST_DEVICE int block_of(int unit) const {
    return static_cast<int>(((unit + std::int64_t{1}) * blocks - 1) /
                            (std::int64_t{heads} * units));
  }
};

inline Cut cut_into(std::int64_t heads, std::int64_t units, std::int64_t blocks) {
  return {static_cast<int>(units), static_cast<int>(heads), static_cast<int>(blocks),
          static_cast<int>(heads * units / blocks), static_cast<int>(heads * units % blocks)};
}

/// At most `most` blocks, each with at least `least` units where a head has as many. Of up to an
/// eighth fewer, as many that blocks end where heads end: a block with parts of two heads adds its
/// warps' sums up twice, which costs more than SMs that idle.
inline Cut cut_for(std::int64_t heads, std::int64_t units, std::int64_t most, std::int64_t least) {
  const std::int64_t parts = std::max<std::int64_t>(units / least, 1),
                     useful = std::min(most, heads * parts);
  for (std::int64_t blocks = useful; blocks > useful - useful / 8; --blocks)
    if (blocks % heads == 0 || heads % blocks == 0) return cut_into(heads, units, blocks);
  return cut_into(heads, units, useful);
}

}  // namespace ridgeline::decode
