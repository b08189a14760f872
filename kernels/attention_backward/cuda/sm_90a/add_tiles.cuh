#pragma once

#include "harness/device/kernel.hpp"
#include "kernels/attention_backward/cuda/sm_90a/tiles.cuh"
#include "kernels/ptx/opaque.cuh"

// The threads that add the block's parts of dQ to the sums in global memory, as they come: one for
// each warpgroup's half of a tile. A way of adding is an Adding:
//   static constexpr bool ordered: blocks wait for each other;
//   Adding(place): of a half of a tile of queries, of which `place` counts the additions;
//   void wait_turn(before): until so many have been made;
//   void start(to, from, bytes): until `from`, which is shared memory, may be used again;
//   void finish(): the addition has been made.
namespace ridgeline::attention_backward::on_cuda {

template <class In, bool causal, class Adding>
__device__ __forceinline__ void add_tiles(const Order& order, const Between& between,
                                          const unsigned char* memory, Signals& signals, int half) {
  constexpr int numbers = In::half_of_dq;
  const auto* const from = reinterpret_cast<const float*>(memory + In::dq) + half * numbers;
  unsigned parity = 0;
#pragma unroll 1
  for (unsigned keys_parity = 0;; keys_parity ^= 1) {
    ptx::barrier_wait(&signals.keys_full, keys_parity);
    KeyTile tile = signals.tile[keys_parity];
    if constexpr (!causal) tile.first = 0;
    if constexpr (causal || !Adding::ordered) tile.begin = tile.first;
    ptx::barrier_arrive(&signals.keys_free);
    if (tile.head < 0) break;
#pragma unroll 1
    for (Passing<Adding::ordered> way(order, tile); way.left != 0;
         way.next(order, tile), parity ^= 1) {
      const int place = 2 * (way.head * order.query_tiles + way.m) + half;
      Adding adding(between.turns + place);
      if constexpr (Adding::ordered) {
        // Read here, so that what is made of them takes no registers between the tiles.
        unsigned read[] = {static_cast<unsigned>(tile.number), static_cast<unsigned>(order.chunk),
                           static_cast<unsigned>(order.query_tiles)};
        ptx::keep_order(read);
        adding.wait_turn(additions_before<In::rows, causal>(read[0], read[1], read[2],
                                                            static_cast<unsigned>(order.key_tiles),
                                                            static_cast<unsigned>(way.m)));
      }
      ptx::barrier_wait(&signals.dq_full[half], parity);
      adding.start(between.dq + std::int64_t{place} * numbers, from, numbers * 4);
      ptx::barrier_arrive(&signals.dq_free[half]);
      adding.finish();
    }
  }
  ptx::copy_bulk_wait<0>();
}

}  // namespace ridgeline::attention_backward::on_cuda
