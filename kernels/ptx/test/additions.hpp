#pragma once

#include "harness/device/stream.hpp"

namespace ridgeline::ptx::test {

/// Each of `blocks` blocks adds its number + 1 to `count` numbers at `sums`, a multiple of 4 and at
/// most 1024, by two copies of shared memory.
void add_from_blocks(device::Stream& stream, int blocks, float* sums, int count);

/// Each of `blocks` blocks adds 1, 2, 3 and 4 times its number + 1 to each of `fours` times four
/// numbers at `sums`.
void add_fours_from_blocks(device::Stream& stream, int blocks, float* sums, int fours);

}  // namespace ridgeline::ptx::test
