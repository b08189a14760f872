#pragma once

#include "harness/device/stream.hpp"

// Blocks that wait for each other, by a cluster's barrier or by one that a grid makes of atomics.
// Each function launches one kernel; pointers are device memory.
namespace ridgeline::ptx::test {

/// Each block of a cluster of four writes 100 + its number to shared memory, static and dynamic,
/// and reads those of the block behind it in the cluster: to[2 b] and to[2 b + 1]. `blocks` is a
/// multiple of 4.
void read_neighbours(device::Stream& stream, int blocks, int* to);
/// Block b adds b + 1 to a counter, zero before, and waits until all have: to[b] is what it then
/// sees.
void meet(device::Stream& stream, int blocks, unsigned* counter, unsigned* to);

}  // namespace ridgeline::ptx::test
