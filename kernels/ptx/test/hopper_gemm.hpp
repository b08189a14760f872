#pragma once

#include "harness/device/stream.hpp"

// A product as Hopper wants it, whole and with one mistake each: what the emulated device's checks
// are for. A GPU runs the whole one alone.
namespace ridgeline::ptx::test {

enum class Mutation {
  none,
  no_barrier_after_init,     // others use mbarriers that may not be there yet
  no_fence_after_init,       // copies use them
  no_full_wait,              // products of tiles that may not have come
  no_empty_wait,             // announces the next tiles while the last ones are awaited
  gives_back_too_early,      // the next tiles go where products still read
  wrong_parity,              // waits for the phase before
  expects_too_much,          // 16 bytes that never come
  never_arrives,             // tiles are never given back
  no_product_wait,           // sums that are never waited for
  sums_before_wait,          // read while products are under way
  no_product_fence,          // sums in registers that nothing orders before the products
  no_swizzle_in_descriptor,  // takes pieces from where others are
  no_fence_before_store,     // the copy may not see what was stored
  no_barrier_before_store,   // other threads may not have stored
  no_store_wait,             // shared memory ends while it is copied
  half_a_warpgroup,          // warps 2 and 3 do not multiply
};

/// c = a b^T for 16-bit bfloats: a is m x k, b is n x k, c is m x n floats, all row by row. k is a
/// multiple of 8, n of 4. A warp brings tiles by tensor copies, a warpgroup multiplies them, and
/// the tile of c goes back by a tensor copy.
void multiply_tiles(device::Stream& stream, Mutation mutation, const unsigned short* a,
                    const unsigned short* b, float* c, int m, int n, int k);

}  // namespace ridgeline::ptx::test
