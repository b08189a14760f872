#pragma once

#include "harness/device/stream.hpp"

// Kernels whose blocks wait for each other, right and wrong. Each function launches one.
namespace ridgeline::emulated::test {

/// Each of `blocks` blocks of 64 threads writes its number, waits at a barrier made of an atomic
/// counter (zero before), and reads its neighbour's: to[b] = (b + 1) % blocks. Without `resident`
/// the launch does not say that blocks wait.
void exchange_through_grid_barrier(device::Stream& stream, int blocks, unsigned* counter,
                                   int* written, int* to, bool resident);
/// As in stream-K: block b waits for the flag of block b + 1, adds its value, and sets its own; the
/// last one begins.
void add_up_backwards(device::Stream& stream, int blocks, volatile int* flags, int* sums);

enum class Forgotten { nothing, flag, one_arrival };
/// Block 0 waits for a flag that block 1 sets, if it does not forget; or for `blocks + 1` arrivals.
void wait_for_flag(device::Stream& stream, Forgotten forgotten, volatile int* flag, int* to);
/// A warp waits for a flag in shared memory that another warp of the block sets: to[0] = 5.
void wait_inside_block(device::Stream& stream, int* to);
/// 64 threads of a block take a lock in turn: to[0] = 64.
void count_under_lock(device::Stream& stream, int* lock, int* to);

enum class WarpLock { by_lanes, by_warps, by_halves };
/// Threads count under two locks (zero before) that their warps meet behind at a __syncwarp(): each
/// lane takes it for itself and adds to to[0], and a lane of each warp to to[1]; or lane 0 takes it
/// for its warp, and all of them add to to[lane], three times; or a lane takes one for its half of
/// the warp, once.
void count_under_warp_lock(device::Stream& stream, WarpLock how, int blocks, int threads, int* lock,
                           int* to);

enum class Cluster {
  right,
  without_wait,
  without_last_barrier,
  rank_outside,
  one_block_never_arrives
};
/// Each block of a cluster of four writes its number to its shared memory and reads those of all:
/// to[b] = sum over its cluster. `blocks` is a multiple of 4.
void add_up_cluster(device::Stream& stream, int blocks, int* to, Cluster how);

}  // namespace ridgeline::emulated::test
