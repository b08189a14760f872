#pragma once

#include "harness/device/stream.hpp"

// Blocks that wait for each other, by a cluster's barrier or by one that a grid makes of atomics.
// Each function launches one kernel; pointers are device memory.
namespace ridgeline::ptx::test {

/// Each block of a cluster of four writes 100 + its number to shared memory, static and dynamic,
/// and reads those of the block behind it in the cluster: to[2 b] and to[2 b + 1]. `blocks` is a
/// multiple of 4.
void read_neighbours(device::Stream& stream, int blocks, int* to);
/// In each round each block of a cluster of at most 8 tells all its rank + 1 and the sum that it
/// got in the round before, by stores that arrive at mbarriers; to[32 b + t] is the last sum of
/// thread t of block b.
void tell_all(device::Stream& stream, int clusters, int blocks, int rounds, float* to);
/// Block b adds b + 1 to a counter, zero before, and waits until all have: to[b] is what it then
/// sees.
void meet(device::Stream& stream, int blocks, unsigned* counter, unsigned* to);

/// What share_boxes() does wrong; a GPU runs the right one alone.
enum class Sharing {
  right,
  no_fence_after_init,      // copies use mbarriers that the unit may not know
  no_cluster_barrier,       // the other block may not have begun
  hands_over_relaxed,       // what a relaxed barrier does not make known
  waits_for_its_own_alone,  // boxes go where the other block still reads
  tells_its_own_alone,      // the other block waits for ever
  leaves_early,             // the other block arrives at a barrier that may be gone
  rank_outside,             // copies to a third block
};
/// Clusters of two read the same 16-bit numbers, 16 rows of 64 a round: each block brings half of
/// them to both by multicast, and tells both when it has read them. to[128 b + t] is the sum of
/// what thread t of block b has read, those at t + 128 i of each round's.
void share_boxes(device::Stream& stream, Sharing mistake, unsigned short* from, int blocks,
                 int rounds, unsigned* to);

}  // namespace ridgeline::ptx::test
