#pragma once

#include <algorithm>
#include <cstdint>

#include "harness/base/host_device.hpp"
#include "kernels/attention_backward/attention_backward.hpp"

// In which order the rungs by wgmma go through their tiles: which keys a block has, which queries
// pass by them, and who adds to the gradients of queries before whom.
namespace ridgeline::attention_backward::on_cuda {

constexpr int tile_keys = 128;

/// Some keys of a head. No head: there are no more.
struct alignas(16) KeyTile {
  int head, number;
  int first;  // tile of queries that sees them
  int begin;  // where the block begins; from the last tile on it goes on at the first one
};

/// How blocks share out the tiles of keys. Heads are taken in groups whose data fit into L2; in a
/// group, heads take turns, early keys first: a causal mask gives those the longest columns.
///
/// Ordered sums: tiles of a set go through queries in step, and wait for each other and for earlier
/// sets. Why they end, whatever blocks come first:
/// - An addition waits for the one before of its tile, and for the one before at its place. Both
///   have lower ranks: an earlier set, fewer additions of their tile before them, or a later tile
///   of keys (order_test.cpp). So no two tiles wait for each other, and the addition of the lowest
///   rank that is still to be made waits for none: its tile's block makes it, once there is one.
/// - There will be one. A set has no more tiles than there are blocks, all of which run
///   (LaunchConfig::resident: all of them begin, or none does, whatever else the GPU's SMs are busy
///   with), and a block takes at most one tile of each set, one set after the other. A block that
///   has still to come to the set has only tiles of earlier sets before it, which are done.
/// - A block's threads wait for each other's earlier additions alone: queries are brought two tiles
///   ahead, dQ is a tile late, and its halves have counters of their own.
/// A block that took the next tile whatever its set would wait, at the end of one tile, for another
/// of the same set that it had taken itself.
struct Order {
  int query_tiles, key_tiles;  // of a head
  int heads, ratio;            // of keys; heads of queries that have one of them
  int group, turns_of_group;   // heads, and all their tiles of keys
  int chunk;                   // ordered sums: tiles of a head's keys that are in a set
  int rows;                    // of a tile of queries
  int seq;
  int sets_of_group, turns_of_set;  // ordered sums; the last set of a group may have fewer turns

  RIDGELINE_HOST_DEVICE int count() const { return key_tiles * heads; }
  /// The tile of a turn. What is known when the kernel is compiled takes no registers of those who
  /// go through the queries.
  template <bool causal, bool ordered>
  RIDGELINE_HOST_DEVICE KeyTile tile(int turn) const {
    const unsigned all = static_cast<unsigned>(turn),
                   of_group = static_cast<unsigned>(turns_of_group);
    const int first_head = static_cast<int>(all / of_group) * group;
    const unsigned in_group = all % of_group,
                   together = static_cast<unsigned>(least(group, heads - first_head));
    KeyTile tile{first_head + static_cast<int>(in_group % together),
                 static_cast<int>(in_group / together), 0, 0};
    if constexpr (causal) tile.first = tile.begin = tile.number * tile_keys / rows;
    if constexpr (ordered && !causal) {
      const int in_chunk = tile.number % chunk,
                others = least(chunk, key_tiles - (tile.number - in_chunk));
      tile.begin = in_chunk * query_tiles / others;
    }
    return tile;
  }

  /// The first turn of a set; count() or more: there is no such set.
  RIDGELINE_HOST_DEVICE int begin_of_set(int set) const {
    return set / sets_of_group * turns_of_group + set % sets_of_group * turns_of_set;
  }
  /// The turn before which a set ends that begins at `begin`.
  RIDGELINE_HOST_DEVICE int end_of_set(int begin) const {
    const int end_of_group = (begin / turns_of_group + 1) * turns_of_group;
    return least(begin + turns_of_set, least(end_of_group, count()));
  }

 private:
  RIDGELINE_HOST_DEVICE static int least(int a, int b) { return a < b ? a : b; }
};

/// How many tiles of keys add to the gradients of query tile `m` before tile `number` does. Tiles
/// of a chunk come by in this order when they begin together: causal, the last one is the first at
/// each tile of queries; full, they begin at different ones and follow each other round.
template <int rows, bool causal>
RIDGELINE_HOST_DEVICE int additions_before(unsigned number, unsigned chunk, unsigned query_tiles,
                                           unsigned key_tiles, unsigned m) {
  const unsigned in_chunk = number % chunk, begin = number - in_chunk,
                 others = chunk < key_tiles - begin ? chunk : key_tiles - begin;
  if (causal) {
    const unsigned end = begin + others, seen = ((m + 1) * rows - 1) / tile_keys + 1;
    return static_cast<int>(begin + (end < seen ? end : seen) - 1 - number);
  }
  const unsigned begun = ((m + 1) * others + query_tiles - 1) / query_tiles;  // at m or before
  return static_cast<int>(begin + (in_chunk < begun ? begun : begun + others) - 1 - in_chunk);
}

/// A thread's way through the tiles of queries that see some keys, of all heads of queries that
/// have these keys: a head after the other, which keeps the queries of one head in L2; ordered, all
/// heads at one tile, so that blocks stay in step that see different numbers of tiles.
template <bool ordered>
struct Passing {
  int head, m, left;

  RIDGELINE_HOST_DEVICE Passing(const Order& order, const KeyTile& tile)
      : head(tile.head * order.ratio),
        m(tile.begin),
        left((order.query_tiles - tile.first) * order.ratio) {}
  RIDGELINE_HOST_DEVICE void next(const Order& order, const KeyTile& tile) {
    --left;
    if (ordered && ++head != (tile.head + 1) * order.ratio) return;
    if (ordered) head -= order.ratio;
    if (++m == order.query_tiles) m = tile.first;
    if (!ordered && m == tile.begin) ++head;
  }
};

/// Queries of a tile. Of heads of 128, 80 keep the tensor cores busier, 64 waste less on the
/// diagonal. Of heads of 64 there are registers and shared memory for 128: factors are read less
/// often for the same products, and tiles end where those of keys do.
inline int rows_for(const Problem& problem) {
  if (problem.dim == 64) return 128;
  return problem.mask == Mask::causal && problem.seq < 4096 ? 64 : 80;
}

/// Tiles of `rows` that hold all rows of a head.
inline std::int64_t tiles_of(const Problem& problem, int rows) {
  return (problem.seq + rows - 1) / rows;
}

/// Heads whose tiles take turns: gradients of queries stay in L2 meanwhile. With a causal mask,
/// blocks of a head of keys are at different heads of the queries that share it. Of heads of 128,
/// then, fewer together are 1.2 to 1.7% faster; of heads of 64 up to 6% slower (H200).
inline int heads_together(const Problem& problem) {
  const bool causal = problem.mask == Mask::causal;
  const std::int64_t elements = std::int64_t{128} * (causal ? 32768 : 8192),
                     queries = causal && problem.dim == 128 ? problem.group() : 1;
  return static_cast<int>(
      std::clamp<std::int64_t>(elements / problem.dim / problem.seq / queries, 1, 8));
}

/// Blocks that share out the tiles, on so many SMs.
inline int blocks_of(const Order& order, int units) { return std::min(units, order.count()); }

inline Order order_for(const Problem& problem, int rows, bool ordered, int units) {
  Order order{};
  order.query_tiles = static_cast<int>(tiles_of(problem, rows));
  order.key_tiles = static_cast<int>(tiles_of(problem, tile_keys));
  order.ratio = static_cast<int>(problem.group());
  order.heads = static_cast<int>(problem.all_heads()) / order.ratio;
  order.group = heads_together(problem);
  order.rows = rows;
  order.seq = static_cast<int>(problem.seq);
  if (ordered) {  // all tiles of a chunk, of all heads that take turns, are under way together
    order.group = std::max(1, units / order.key_tiles);
    order.chunk = std::min(order.key_tiles, units);
    order.sets_of_group = (order.key_tiles + order.chunk - 1) / order.chunk;
  }
  order.turns_of_group = order.group * order.key_tiles;
  order.turns_of_set = order.sets_of_group == 1 ? order.turns_of_group : order.chunk;
  return order;
}

}  // namespace ridgeline::attention_backward::on_cuda
