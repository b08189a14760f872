#pragma once

#include <cstddef>

#include "harness/device/stream.hpp"

// Kernels with known counts and planted mistakes, for tests of the emulated device. Each function
// launches one.
namespace ridgeline::emulated::test {

/// Thread i of 256 a block copies element i * stride of n.
void copy_strided(device::Stream& stream, const float* from, float* to, int n, int stride);
/// 16 bytes per thread; n is a multiple of 1024.
void copy_wide(device::Stream& stream, const float* from, float* to, int n);

enum class Transpose { plain, padded, without_barrier };
/// n x n through tiles of 32 x 32; n is a multiple of 32.
void transpose(device::Stream& stream, const float* from, float* to, int n, Transpose how);
/// c = a b, n x n, in tiles of 16 x 16; n is a multiple of 16.
void multiply(device::Stream& stream, const float* a, const float* b, float* c, int n);
/// to[0] += the sum of n elements, by shuffles and an atomic; `blocks` of 256 threads.
void add_up(device::Stream& stream, const float* from, float* to, int n, int blocks);

/// A warp reads 8 times in a loop whose length differs by lane, at most 32 rounds, and once behind
/// it: 8 x 33 requests. With `call`, in a function that is not inlined.
void ragged(device::Stream& stream, const float* from, float* to, bool call);
/// Lanes exchange values through shared memory, with or without __syncwarp().
void exchange(device::Stream& stream, const int* from, int* to, bool barrier);
/// Each of `threads` writes what a predicate barrier returns: any, all, count of (thread < limit).
void combine(device::Stream& stream, int threads, int limit, int* to);
/// Every lane of a warp adds 1 to one word, `blocks` times.
void count_atomically(device::Stream& stream, int blocks, unsigned* to);
/// Each of `blocks` writes its number to the place that it takes at the counter `come`.
void note_order(device::Stream& stream, int blocks, unsigned* come, unsigned* to);

/// A block writes and reads static shared memory of 400 bytes and the first 128 floats of `bytes`
/// dynamic ones.
void fill_shared(device::Stream& stream, std::size_t bytes, float* to);
/// Of 96 threads 32 come to a barrier, 16 of the next warp to another shuffle than the others of
/// it, and 32 end.
void wait_for_each_other(device::Stream& stream, float* to);

enum class Mistake {
  reads_behind_the_end,
  reads_before_the_start,
  reads_unwritten_shared,
  reads_unwritten_global,
  misaligned,
  writes_behind_shared,
  writes_behind_dynamic,
  divergent_barrier,
  half_ends_before_a_barrier,
  lane_is_missing,
  caller_is_not_in_mask,
  lane_is_in_another_collective,
  two_blocks_write_one_word,
  a_block_reads_what_another_writes,
  reads_host_memory,
  reads_before_the_copy_has_come,
  waits_for_too_few_copies,
  never_waits_for_a_copy,
};
/// A warp copies 512 bytes into shared memory while it goes on, and writes them back; half of the
/// lanes copy zeros.
void copy_async(device::Stream& stream, const float* from, float* to);
/// The same in words: word 4i + j of the first 256 bytes goes to 32j + i, and zeros between.
void copy_words_async(device::Stream& stream, const float* from, float* to);
/// d = a b: 16 x 8 sums of a warp from a (16 x 16, bf16, row by row) and b (8 x 16: its columns).
void multiply_tile(device::Stream& stream, const unsigned short* a, const unsigned short* b,
                   float* d);

/// Each of `blocks` warps multiplies such tiles `rounds` times.
void multiply_tiles(device::Stream& stream, const unsigned short* a, const unsigned short* b,
                    float* d, int blocks, int rounds);

/// 128 threads per block; `from` and `to` have 128 elements.
void make(device::Stream& stream, Mistake mistake, const float* from, float* to);

}  // namespace ridgeline::emulated::test
