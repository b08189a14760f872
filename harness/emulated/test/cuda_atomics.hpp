#pragma once

#include "harness/device/stream.hpp"

// Kernels with cuda::atomic_ref and cuda::atomic of libcu++, whose headers are compiled as they
// are.
namespace ridgeline::emulated::test {

/// Of two resident blocks the first writes 7 to `data` and sets `flag`; the second waits for it and
/// copies `data` to `to`. `ordered`: by release and acquire, else relaxed.
void hand_over(device::Stream& stream, bool ordered, int* flag, int* data, int* to);

/// The same, ordered, by a flag that only threads of one block may rely on: between two blocks, or,
/// of one, between two of its warps.
void hand_over_in_block(device::Stream& stream, int blocks, int* flag, int* data, int* to);

/// 64 threads of two blocks add 1 each to *sum, and update at[block] in other ways. `of_block`:
/// only threads of one block may rely on that.
void update_all(device::Stream& stream, bool of_block, float* sum, float* at);
void update_all(device::Stream& stream, bool of_block, int* sum, int* at);

/// `blocks` of 64 threads add 1 each to *sum, the whole block by way of a cuda::atomic in shared
/// memory.
void add_up_by_atomics(device::Stream& stream, int blocks, unsigned* sum);

/// 32 threads take the next numbers of *next, and write them; the largest one goes to *largest.
void take_numbers(device::Stream& stream, unsigned long long* next, unsigned long long* to,
                  unsigned long long* largest);

/// `threads` of a block, at most 128, hand their numbers on `rounds` times, and meet at a barrier
/// of cuda::atomic after each: to[t] = (t + rounds) % threads.
void pass_round(device::Stream& stream, int threads, int rounds, int* to);

}  // namespace ridgeline::emulated::test
