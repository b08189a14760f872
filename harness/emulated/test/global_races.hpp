#pragma once

#include "harness/device/stream.hpp"

// Kernels that exchange values through global memory, with and without what orders them. `words`
// has 256 zeros.
namespace ridgeline::emulated::test {

enum class Exchange {
  barrier,             // of the block, between writing and reading
  warp_barrier,        // the same within each warp
  none,                // between warps: a race
  none_in_warp,        // between lanes: a race
  written_twice,       // two warps write one word: a race
  written_after_read,  // by another warp: a race
  atomics,             // all add to one word
  bytes,               // of one word, each a thread's own
  fences,              // warp 1 fences behind its writes, warp 0 before its reads
  ordered_atomics,     // the same by a release and an acquire of an atomic
  one_fence,           // of the reader alone: a race
};
/// One block of 64 threads.
void exchange_globally(device::Stream& stream, Exchange how, int* words);

/// Each block writes a word, and the last one that increments `count` adds them up. `fenced`: with
/// fences behind the write and before the sum.
void add_up_in_last_block(device::Stream& stream, int blocks, int* words, unsigned* count, int* sum,
                          bool fenced);

}  // namespace ridgeline::emulated::test
