#pragma once

#include <algorithm>
#include <cstdint>

#include "harness/device/kernel.hpp"
#include "kernels/attention/attention.hpp"
#include "kernels/ptx/copy_tensor.cuh"
#include "kernels/ptx/fence.cuh"
#include "kernels/ptx/turn.cuh"

// What the rungs by wgmma work on: which tiles a block has, where they lie in its shared memory,
// and the thread that brings them.
namespace ridgeline::attention::on_cuda {

constexpr int group_queries = 64, multiplying = 2;  // of a warpgroup, and how many multiply
constexpr int tile_queries = multiplying * group_queries, tile_keys = 128;
constexpr int attend_threads = 128 * (multiplying + 1);

// A row of a tile is cut into pieces of 64 elements, the span of the swizzle. A tile holds the
// first piece of all its rows, then the second one.
constexpr int piece = 64;

/// Where columns 8 eighth to 8 eighth + 7 of a row lie in a tile of `rows` rows, in elements.
template <int rows>
__device__ __forceinline__ int place(int row, int eighth) {
  return eighth / 8 * rows * piece + row * piece + ((eighth % 8) ^ (row % 8)) * 8;
}

/// Dynamic shared memory, in bytes from a multiple of 1024: a ring of tiles of keys and values,
/// each warpgroup's queries and outputs.
template <int dim>
struct Layout {
  static constexpr unsigned tile = tile_keys * dim * 2, group = group_queries * dim * 2;
  static constexpr unsigned stages = dim == 128 ? 5 : 8;
  static constexpr unsigned queries = stages * tile, outputs = queries + multiplying * group;
  static constexpr unsigned size = outputs + multiplying * group, with_padding = size + 1024;
};

/// A tile of queries of one head and the tiles of keys that they see. None: there are no more.
struct alignas(16) Tile {
  int head, first_query, key_tiles, unused;  // one access
};

/// How blocks share out the tiles. Full: one after the other. Causal, tiles differ in their work,
/// so most heads have theirs in pairs, a long one and a short one, which are all alike; the last
/// heads have theirs one by one, the long ones first, and every other round of the blocks goes
/// backwards: what the rounds before have left uneven is evened out. Neighbours have the same
/// head, whose keys and values then come from L2.
struct Order {
  int query_tiles, key_tiles;     // of a head
  int paired_heads, other_heads;  // full: all are others
  int pairs, turns;               // turns: pairs and single tiles
  int group;                      // heads of queries that have a head of keys and values
  bool causal;

  /// Tile `second` of turn `turn`.
  __device__ __forceinline__ Tile operator()(int turn, int second) const {
    const int half = (query_tiles + 1) / 2, single = turn - pairs;
    int head = single / query_tiles, row = single % query_tiles;
    if (turn < pairs) {
      head = turn / half;
      row = second == 0 ? query_tiles - 1 - turn % half : turn % half;
    } else if (causal) {
      head = paired_heads + single % other_heads;
      row = query_tiles - 1 - single / other_heads;
    }
    return {head, row * tile_queries, causal ? row + 1 : key_tiles, 0};
  }
  /// The tile in the middle of a head has no other to its pair.
  __device__ __forceinline__ int tiles_of(int turn) const {
    const int half = (query_tiles + 1) / 2;
    return turn < pairs && 2 * (turn % half) + 1 != query_tiles ? 2 : 1;
  }
};

inline Order order_of(const Problem& problem) {
  constexpr std::int64_t most_others = 16;
  Order order{};
  order.causal = problem.mask == Mask::causal;
  order.query_tiles = static_cast<int>(device::blocks_for(problem.seq, tile_queries));
  order.key_tiles = static_cast<int>(device::blocks_for(problem.seq, tile_keys));
  const std::int64_t heads = problem.all_heads();
  order.other_heads = static_cast<int>(order.causal ? std::min(heads, most_others) : heads);
  order.paired_heads = static_cast<int>(heads) - order.other_heads;
  order.group = static_cast<int>(problem.group());
  order.pairs = order.paired_heads * ((order.query_tiles + 1) / 2);
  order.turns = order.pairs + order.other_heads * order.query_tiles;
  return order;
}

/// Barriers of a block: tiles have come, or have been used. And which tile of queries has come.
template <int dim>
struct Signals {
  ptx::Barrier full[Layout<dim>::stages], empty[Layout<dim>::stages], queries_full, queries_empty;
  Tile tile;

  /// By one thread, before a barrier of the block.
  __device__ __forceinline__ void init() {
    constexpr unsigned warps = 4 * multiplying;
    for (unsigned i = 0; i < Layout<dim>::stages; ++i) {
      ptx::barrier_init(&full[i], 1);
      ptx::barrier_init(&empty[i], warps);
    }
    ptx::barrier_init(&queries_full, 1);
    ptx::barrier_init(&queries_empty, warps);
    ptx::fence_barrier_init();
  }
};

/// A thread's place in the ring of tiles, which it fills.
template <int dim>
struct Bringing {
  using In = Layout<dim>;
  unsigned char* memory;
  Signals<dim>& signals;
  ptx::Turn<In::stages> ring{};

  __device__ __forceinline__ void bring(const device::TensorMap& from, int head, int tile) {
    ptx::barrier_wait(&signals.empty[ring.stage], ring.parity ^ 1);
    ptx::barrier_arrive_expect(&signals.full[ring.stage], In::tile);
    ptx::load_box(memory + ring.stage * In::tile, from, 0, tile * tile_keys, 0, head,
                  &signals.full[ring.stage]);
    ring.next();
  }
};

/// Brings all tiles of the block, in the order in which they are used: keys a tile ahead of values,
/// also from one tile of queries to the next. Keys come from the last one, where the mask is, to
/// the first. One thread.
template <int dim>
__device__ __forceinline__ void bring_tiles(const Order& order, const device::TensorMap& q,
                                            const device::TensorMap& k, const device::TensorMap& v,
                                            unsigned char* memory, Signals<dim>& signals) {
  using In = Layout<dim>;
  Bringing<dim> ring{memory, signals};
  int waiting_head = 0, waiting_tile = -1;  // of values
  unsigned parity = 1;
  const auto blocks = static_cast<int>(gridDim.x), block = static_cast<int>(blockIdx.x);
  for (int round = 0;; ++round) {
    const int turn = round * blocks + (round % 2 == 0 ? block : blocks - 1 - block);
    if (turn >= order.turns) break;
    for (int i = 0; i < order.tiles_of(turn); ++i) {
      const Tile tile = order(turn, i);
      ptx::barrier_wait(&signals.queries_empty, parity);
      parity ^= 1;
      signals.tile = tile;
      ptx::barrier_arrive_expect(&signals.queries_full, multiplying * In::group);
      for (int group = 0; group < multiplying; ++group)
        ptx::load_box(memory + In::queries + static_cast<unsigned>(group) * In::group, q, 0,
                      tile.first_query + group * group_queries, 0, tile.head,
                      &signals.queries_full);
      const int of_keys = tile.head / order.group;
      for (int at = tile.key_tiles - 1; at >= 0; --at) {
        ring.bring(k, of_keys, at);
        if (waiting_tile >= 0) ring.bring(v, waiting_head, waiting_tile);
        waiting_head = of_keys;
        waiting_tile = at;
      }
    }
  }
  if (waiting_tile >= 0) ring.bring(v, waiting_head, waiting_tile);
  ptx::barrier_wait(&signals.queries_empty, parity);
  signals.tile = {};
  ptx::barrier_arrive(&signals.queries_full);
}

/// A map of a heads x seq x dim array, in boxes of `rows` rows as they lie in a tile.
inline device::TensorMap map_of(const Problem& problem, std::int64_t heads, const void* memory,
                                int rows) {
  const auto seq = static_cast<std::uint64_t>(problem.seq),
             row_bytes = static_cast<std::uint64_t>(problem.dim) * 2;
  const auto pieces = static_cast<std::uint32_t>(problem.dim / piece);
  return device::make_tensor_map({.memory = const_cast<void*>(memory),
                                  .dtype = problem.dtype,
                                  .sizes = {piece, seq, pieces, static_cast<std::uint64_t>(heads)},
                                  .strides = {row_bytes, piece * 2, seq * row_bytes},
                                  .box = {piece, static_cast<std::uint32_t>(rows), pieces, 1},
                                  .swizzle = device::Swizzle::bytes_128});
}

}  // namespace ridgeline::attention::on_cuda
