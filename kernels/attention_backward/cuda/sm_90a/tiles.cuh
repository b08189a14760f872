#pragma once

#include <algorithm>
#include <cstdint>

#include "harness/device/kernel.hpp"
#include "kernels/attention_backward/order.hpp"
#include "kernels/ptx/copy_bulk.cuh"
#include "kernels/ptx/copy_tensor.cuh"
#include "kernels/ptx/fence.cuh"

// What the rungs by wgmma work on: tiles of 128 keys, of which a block has one at a time, and tiles
// of queries, which pass by it; where they lie in shared memory, in which order they come, and the
// thread that brings them.
namespace ridgeline::attention_backward::on_cuda {

constexpr int group_keys = 64;              // of a warpgroup
constexpr int differentiate_threads = 384;  // one warpgroup brings and adds

// A row of a tile is cut into pieces of 64 elements, the span of the swizzle. A tile holds the
// first piece of all its rows, then the second one.
constexpr int piece = 64;

/// Tiles of `rows` queries of heads of `dim` elements, and where all lies in dynamic shared memory,
/// in bytes from a multiple of 1024. Queries (with gradients of outputs) and gradients of scores
/// have two stages each.
template <int head_dim, int tile_rows>
struct Layout {
  static constexpr int dim = head_dim, rows = tile_rows, pieces = dim / piece;
  static constexpr unsigned panel = rows * piece * 2, tile = pieces * panel;
  static constexpr unsigned key_panel = tile_keys * piece * 2, key_tile = pieces * key_panel;
  static constexpr unsigned ds_tile = rows * tile_keys * 2;  // a panel of each warpgroup's keys
  static constexpr unsigned keys = 0, values = key_tile, queries = 2 * key_tile;
  static constexpr unsigned d_o = queries + 2 * tile, ds = d_o + 2 * tile, dq = ds + 2 * ds_tile;
  static constexpr unsigned row_numbers = dq + rows * dim * 4;  // L, then D; two stages
  static constexpr unsigned size = row_numbers + 4 * rows * 4, with_padding = size + 1024;
  /// Of a tile's dQ each warpgroup makes a half: of heads of 128 half of the dimensions, of heads
  /// of 64 half of the queries, since wgmma makes no less than 64 rows.
  static constexpr int half_of_dq = rows * dim / 2, dq_queries = pieces == 1 ? rows / 2 : rows;
};

/// Barriers of a block: something has come (full), or has been used (free).
struct Signals {
  ptx::Barrier keys_full, values_full, keys_free, queries_full[2], queries_free[2], d_o_full[2],
      ds_full, ds_free, dq_full[2], dq_free[2];
  KeyTile tile[2];  // of even and odd phases of the keys

  /// By one thread, before a barrier of the block.
  __device__ __forceinline__ void init() {
    constexpr unsigned warps = 8;  // that multiply
    ptx::barrier_init(&keys_full, 1);
    ptx::barrier_init(&values_full, 1 + warps);  // with the values, sums of the keys before have
                                                 // left
    ptx::barrier_init(&keys_free, warps + 2);    // and the two threads that add
    for (int stage = 0; stage < 2; ++stage) {
      ptx::barrier_init(&queries_full[stage], 1);
      ptx::barrier_init(&queries_free[stage], warps);
      ptx::barrier_init(&d_o_full[stage], 1);
      ptx::barrier_init(&dq_full[stage], warps / 2);  // one for each warpgroup
      ptx::barrier_init(&dq_free[stage], 1);
    }
    ptx::barrier_init(&ds_full, warps);
    ptx::barrier_init(&ds_free, warps);
    ptx::fence_barrier_init();
  }
};

/// Arrays that kernels of these rungs hand to each other, in the workspace. Rows of a head are
/// filled up to whole tiles.
struct Between {
  float* row_numbers;  // of each tile L of all rows, in units of log 2 (no row: +inf), then D
  float* dq;           // sums, a tile after the other, as threads have them
  int* turns;          // deterministic sums: of each half of a tile, additions so far
  int* tickets;        // turns of Order that are taken: all but each block's first one; ordered, of
                       // each set
  int padded;          // rows of a head
};

struct Maps {
  device::TensorMap q, k, v, d_o, dk, dv, row_numbers;
};

/// Brings a tile of queries with gradients of outputs and row numbers, number `at` of the block.
template <class In>
__device__ __forceinline__ void bring_queries(const Maps& maps, int padded, unsigned char* memory,
                                              Signals& signals, int head, int m, unsigned at) {
  constexpr unsigned numbers = 2 * In::rows * 4;
  const unsigned stage = at % 2;
  ptx::barrier_wait(&signals.queries_free[stage], ~at / 2 % 2);
  ptx::barrier_arrive_expect(&signals.queries_full[stage], In::tile + numbers);
  ptx::load_box(memory + In::queries + stage * In::tile, maps.q, 0, m * In::rows, 0, head,
                &signals.queries_full[stage]);
  ptx::load_box(memory + In::row_numbers + stage * numbers, maps.row_numbers,
                2 * (head * padded + m * In::rows), &signals.queries_full[stage]);
  ptx::barrier_arrive_expect(&signals.d_o_full[stage], In::tile);
  ptx::load_box(memory + In::d_o + stage * In::tile, maps.d_o, 0, m * In::rows, 0, head,
                &signals.d_o_full[stage]);
}

/// The turns of Order that a block takes, one after the other; none is left: Order::count(), or
/// more.
template <bool ordered>
struct Turns {
  int set = 0;  // that comes next; only ordered sums have sets

  __device__ __forceinline__ int first([[maybe_unused]] const Order& order,
                                       [[maybe_unused]] int* tickets) {
    if constexpr (ordered) return next(order, tickets);
    return static_cast<int>(blockIdx.x);
  }
  __device__ __forceinline__ int next([[maybe_unused]] const Order& order, int* tickets) {
    if constexpr (ordered) {
#pragma unroll 1
      for (;;) {
        const int begin = order.begin_of_set(set);
        if (begin >= order.count()) return begin;
        const int turn = begin + atomicAdd(tickets + set++, 1);
        if (turn < order.end_of_set(begin)) return turn;  // else others have all of the set
      }
    } else {
      return static_cast<int>(gridDim.x) + atomicAdd(tickets, 1);
    }
  }
};

/// Brings all tiles of the block, in the order in which they are used: the first queries before the
/// keys, since they may come while the last products with the keys before are under way. One
/// thread.
template <class In, bool causal, bool ordered>
__device__ __forceinline__ void bring_tiles(const Order& order, const Maps& maps,
                                            const Between& between, unsigned char* memory,
                                            Signals& signals) {
  // Twice the tiles of queries so far, and the parity of the keys' phase: there are few registers.
  unsigned counts = 0;
  Turns<ordered> turns;
#pragma unroll 1
  for (int turn = turns.first(order, between.tickets); turn < order.count();
       turn = turns.next(order, between.tickets)) {
    const KeyTile tile = order.template tile<causal, ordered>(turn);
    Passing<ordered> way(order, tile);
    signals.tile[counts % 2] = tile;
    bring_queries<In>(maps, between.padded, memory, signals, way.head, way.m, counts / 2);
    ptx::barrier_wait(&signals.keys_free, ~counts % 2);
    const KeyTile keys = signals.tile[counts % 2];
    ptx::barrier_arrive_expect(&signals.keys_full, In::key_tile);
    ptx::load_box(memory + In::keys, maps.k, 0, keys.number * tile_keys, 0, keys.head,
                  &signals.keys_full);
    ptx::barrier_arrive_expect(&signals.values_full, In::key_tile);
    ptx::load_box(memory + In::values, maps.v, 0, keys.number * tile_keys, 0, keys.head,
                  &signals.values_full);
    counts ^= 1;
#pragma unroll 1
    for (way.next(order, tile), counts += 2; way.left != 0; way.next(order, tile), counts += 2)
      bring_queries<In>(maps, between.padded, memory, signals, way.head, way.m, counts / 2);
  }
  ptx::barrier_wait(&signals.keys_free, ~counts % 2);
  signals.tile[counts % 2] = {.head = -1, .number = 0, .first = 0, .begin = 0};
  ptx::barrier_arrive(&signals.keys_full);
}

/// A map of a heads x seq x dim array of bf16, in boxes of `box_rows` rows, of which `box_pieces`
/// pieces lie after each other as in a tile of so many rows.
template <class In>
device::TensorMap map_of(const Problem& problem, std::int64_t heads, const void* memory,
                         int box_rows, std::uint32_t box_pieces = In::pieces) {
  const auto seq = static_cast<std::uint64_t>(problem.seq);
  constexpr std::uint64_t row_bytes = In::dim * 2;
  constexpr std::uint32_t pieces = In::pieces;
  return device::make_tensor_map(
      {.memory = const_cast<void*>(memory),
       .dtype = DType::bf16,
       .sizes = {piece, seq, pieces, static_cast<std::uint64_t>(heads)},
       .strides = {row_bytes, piece * 2, seq * row_bytes},
       .box = {piece, static_cast<std::uint32_t>(box_rows), box_pieces, 1},
       .swizzle = device::Swizzle::bytes_128});
}

/// A map of the numbers of all rows, in boxes as they lie in a tile.
inline device::TensorMap map_of_numbers(const Problem& problem, const Between& between, int rows) {
  const auto count = static_cast<std::uint64_t>(2 * problem.all_heads() * between.padded);
  return device::make_tensor_map({.memory = between.row_numbers,
                                  .dtype = DType::f32,
                                  .sizes = {count},
                                  .strides = {},
                                  .box = {2 * static_cast<std::uint32_t>(rows)},
                                  .swizzle = device::Swizzle::none});
}

}  // namespace ridgeline::attention_backward::on_cuda
