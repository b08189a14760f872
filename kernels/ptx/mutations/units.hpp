#pragma once

#include "harness/device/stream.hpp"
#include "kernels/ptx/tensor_map.hpp"

// Registers of warpgroups, factors in them, and maps of tensors, right and with one mistake each.
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

enum class LeftFactor {
  none,           // a warpgroup multiplies from its registers and waits
  read_early,     // reads a register of the factor before its wait
  written_early,  // writes one
  no_swizzle,     // of the right factor, whose columns are fastest
  too_short,      // the right factor's second piece lies behind its memory
};
/// to[thread] is the first sum of each of 128 threads: 16 ones times ones.
void multiply_ones(device::Stream& stream, LeftFactor mistake, float* to);

/// A block of one thread loads the box at (x, y), or at x alone when `rank` is 1, and writes its
/// first element to `to`.
void load_first(device::Stream& stream, const device::TensorMap& map, int rank, int x, int y,
                unsigned short* to);

}  // namespace ridgeline::ptx::mutations
