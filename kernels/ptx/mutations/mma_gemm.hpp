#pragma once

#include "harness/device/stream.hpp"

// A pipelined product on tensor cores, whole and with one mistake each: what the emulated device's
// checks are for.
namespace ridgeline::ptx::mutations {

enum class Mutation {
  none,
  no_barrier_after_wait,    // other threads' copies may not have come
  no_trailing_barrier,      // the next copies go where others still read
  no_wait,                  // copies are never waited for
  no_commit,                // a wait for groups that do not exist
  one_chunk_too_far,        // copies what lies behind the rows
  another_swizzle_to_read,  // takes pieces from where others were written
  no_swizzle,               // right, and slow: eight rows of a matrix share banks
};

/// c = a b^T for 16-bit bfloats: a is m x k, b is n x k, c is m x n floats, all row by row. m and n
/// are multiples of 64, k of 32.
void multiply(device::Stream& stream, Mutation mutation, const unsigned short* a,
              const unsigned short* b, float* c, int m, int n, int k);

}  // namespace ridgeline::ptx::mutations
