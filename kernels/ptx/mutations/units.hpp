#pragma once

#include "harness/device/stream.hpp"
#include "kernels/ptx/tensor_map.hpp"

// Registers of warpgroups and maps of tensors, right and with one mistake each.
namespace ridgeline::ptx::mutations {

enum class Registers {
  none,              // 384 threads: 40 for one warpgroup, 232 for two
  below_the_least,   // 16
  no_multiple,       // 100
  too_many,          // 232 for three warpgroups
  half_a_warpgroup,  // two of its four warps ask
  half_a_warp,       // 16 lanes of each of its warps ask
  no_warpgroup,      // a block of 64 threads
};
void share_registers(device::Stream& stream, Registers mistake);

/// A block of one thread loads the box at (x, y), or at x alone when `rank` is 1, and writes its
/// first element to `to`.
void load_first(device::Stream& stream, const device::TensorMap& map, int rank, int x, int y,
                unsigned short* to);

}  // namespace ridgeline::ptx::mutations
