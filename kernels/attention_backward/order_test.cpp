#include "kernels/attention_backward/order.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace ridgeline::attention_backward::on_cuda {
namespace order_test {

Problem problem_of(std::int64_t heads, std::int64_t seq, Mask mask, std::int64_t kv_heads = 0,
                   std::int64_t dim = 128) {
  return {1, heads, seq, dim, mask, DType::bf16, kv_heads};
}

Order ordered(const Problem& problem, int units) {
  return order_for(problem, rows_for(problem), /*ordered=*/true, units);
}

/// To a tile of queries of a head, by the tile of keys `number`, when `before` have been made
/// there.
struct Addition {
  int head, m, number, before;
};

/// What the tile of keys of a turn adds, in its order.
template <int rows, bool causal>
std::vector<Addition> additions_with(const Order& order, int turn) {
  std::vector<Addition> all;
  const KeyTile tile = order.tile<causal, true>(turn);
  for (Passing<true> way(order, tile); way.left != 0; way.next(order, tile))
    all.push_back({way.head, way.m, tile.number,
                   additions_before<rows, causal>(
                       static_cast<unsigned>(tile.number), static_cast<unsigned>(order.chunk),
                       static_cast<unsigned>(order.query_tiles),
                       static_cast<unsigned>(order.key_tiles), static_cast<unsigned>(way.m))});
  return all;
}
std::vector<Addition> additions_of(const Order& order, bool causal, int turn) {
  const auto of = [&]<int rows>() {
    return causal ? additions_with<rows, true>(order, turn)
                  : additions_with<rows, false>(order, turn);
  };
  if (order.rows == 128) return of.operator()<128>();
  return order.rows == 80 ? of.operator()<80>() : of.operator()<64>();
}

int tiles_in_largest_set(const Order& order) {
  int most = 0;
  for (int set = 0; order.begin_of_set(set) < order.count(); ++set) {
    const int begin = order.begin_of_set(set);
    most = std::max(most, order.end_of_set(begin) - begin);
  }
  return most;
}

/// How blocks come to their tiles: a ticket of each set, as the kernel has it, or the next ticket
/// of all.
enum class Tickets { of_sets, of_all };

/// The ordered sums of a problem on a GPU of `units` SMs, in any order that hardware allows. Of the
/// blocks, `residents` run at a time (0: all), and others begin when some have ended. Each does its
/// additions one after the other, as soon as their turns have come.
/// It takes its next tile of keys when it has brought the last queries of the one before, of which
/// up to four additions may still be to come (differentiate.cuh: two tiles of queries have come
/// before they are used, and dQ is a tile late).
class Execution {
 public:
  Execution(const Problem& problem, int units, Tickets tickets, unsigned seed, int residents = 0)
      : order_(ordered(problem, units)),
        causal_(problem.mask == Mask::causal),
        tickets_(tickets),
        blocks_(static_cast<std::size_t>(blocks_of(order_, units))),
        residents_(residents == 0 ? blocks_.size() : static_cast<std::size_t>(residents)),
        random_(seed),
        added_(static_cast<std::size_t>(order_.heads * order_.ratio * order_.query_tiles)) {
    for (Block& block : blocks_) block.pause = 1 << random_() % 7;
    if (tickets_ == Tickets::of_all) next_ticket_[0] = static_cast<int>(blocks_.size());
  }

  /// Whether all tiles were done, each once; otherwise nobody can go on.
  bool ends() {
    for (bool progress = true; progress;) {
      progress = false;
      const auto gone = static_cast<std::size_t>(std::ranges::count_if(blocks_, &Block::is_gone)),
                 begun = std::min(blocks_.size(), residents_ + gone);
      for (std::size_t block = 0; block < begun; ++block)
        if (random_() % blocks_[block].pause == 0) progress = step(block) || progress;
      for (std::size_t block = 0; !progress && block < begun; ++block) progress = step(block);
    }
    return std::ranges::all_of(blocks_, &Block::is_gone) &&
           static_cast<int>(taken_.size()) == order_.count();
  }
  /// Who added, of each tile of queries of each head, first to last.
  const std::vector<std::vector<int>>& additions() const { return added_; }

 private:
  struct Block {
    std::vector<Addition> additions;
    std::size_t next = 0;
    int set = 0;
    unsigned pause = 1;  // it goes on once in so many times that it could
    bool has_begun = false, has_ended = false;
    bool is_gone() const { return has_ended && next == additions.size(); }
  };

  int turn_of(std::size_t at) {
    Block& block = blocks_[at];
    if (tickets_ == Tickets::of_all)
      return std::exchange(block.has_begun, true) ? next_ticket_[0]++ : static_cast<int>(at);
    for (;;) {
      const int begin = order_.begin_of_set(block.set);
      if (begin >= order_.count()) return begin;
      const int turn = begin + next_ticket_[block.set++]++;
      if (turn < order_.end_of_set(begin)) return turn;
    }
  }

  /// One thing that a block may do next. False: nothing.
  bool step(std::size_t at) {
    Block& block = blocks_[at];
    constexpr std::size_t left_behind = 4;
    if (!block.has_ended && block.additions.size() - block.next <= left_behind) {
      const int turn = turn_of(at);
      block.has_ended = turn >= order_.count();
      if (block.has_ended) return true;
      EXPECT_TRUE(taken_.insert(turn).second) << "turn " << turn << " twice";
      const std::vector<Addition> additions = additions_of(order_, causal_, turn);
      block.additions.insert(block.additions.end(), additions.begin(), additions.end());
      return true;
    }
    if (block.next == block.additions.size()) return false;
    const Addition& addition = block.additions[block.next];
    const int place = addition.head * order_.query_tiles + addition.m;
    std::vector<int>& made = added_[static_cast<std::size_t>(place)];
    if (static_cast<int>(made.size()) != addition.before) return false;
    made.push_back(addition.number);
    ++block.next;
    return true;
  }

  const Order order_;
  const bool causal_;
  const Tickets tickets_;
  std::vector<Block> blocks_;
  const std::size_t residents_;
  std::mt19937 random_;
  std::map<int, int> next_ticket_;
  std::set<int> taken_;
  std::vector<std::vector<int>> added_;
};

/// Lengths around those at which tiles, sets of several heads, and heads of several sets begin.
std::vector<std::pair<Problem, int>> problems_and_units() {
  std::vector<std::pair<Problem, int>> all;
  for (const Mask mask : {Mask::full, Mask::causal}) {
    for (const int units : {1, 2, 3, 7})
      for (const std::int64_t seq : {1, 128, 129, 300, 512, 1100})
        all.emplace_back(problem_of(5, seq, mask), units);
    all.emplace_back(problem_of(6, 700, mask, /*kv_heads=*/2), 5);
    all.emplace_back(problem_of(16, 4096, mask), 132);
    all.emplace_back(problem_of(4, 8448, mask), 132);
    all.emplace_back(problem_of(1, 20000, mask), 132);
    all.emplace_back(problem_of(6, 700, mask, /*kv_heads=*/3, /*dim=*/64), 5);
    all.emplace_back(problem_of(9, 4096, mask, /*kv_heads=*/0, /*dim=*/64), 132);
  }
  return all;
}

/// An earlier set, fewer additions of its tile before it, or as many and a later tile of keys.
using Rank = std::tuple<int, int, int>;

/// All additions at each tile of queries of each head: how many are made there before, and ranks.
std::vector<std::vector<std::pair<int, Rank>>> ranks(const Order& order, bool causal) {
  std::vector<std::vector<std::pair<int, Rank>>> places(
      static_cast<std::size_t>(order.heads * order.ratio * order.query_tiles));
  for (int set = 0; order.begin_of_set(set) < order.count(); ++set) {
    const int begin = order.begin_of_set(set), end = order.end_of_set(begin);
    for (int turn = begin; turn < end; ++turn) {
      int step = 0;
      for (const Addition& one : additions_of(order, causal, turn)) {
        const int place = one.head * order.query_tiles + one.m;
        places[static_cast<std::size_t>(place)].emplace_back(one.before,
                                                             Rank{set, step++, -one.number});
      }
    }
  }
  return places;
}

/// Why ordered sums end: each addition waits for the one before of its tile, and for the one before
/// at its place, and both have lower ranks. So what is of the lowest rank among all that is still
/// to be made waits for nothing but a block that takes its tile: Order says why there is one.
TEST(Order, AdditionsWaitForLowerRanksAlone) {
  std::size_t looked_at = 0;
  for (const Mask mask : {Mask::full, Mask::causal})
    for (const std::int64_t dim : {64, 128})
      for (const int units : {1, 2, 3, 7, 16, 78, 114, 132, 144})
        for (const std::int64_t seq : {1, 63, 128, 129, 300, 1100, 4095, 4096, 8449})
          for (const auto& [heads, kv_heads] :
               {std::pair<std::int64_t, std::int64_t>(1, 1), {6, 3}}) {
            if (seq > 2000 && heads != 1 && units < 78) continue;
            const Order order = ordered(problem_of(heads, seq, mask, kv_heads, dim), units);
            EXPECT_LE(tiles_in_largest_set(order), blocks_of(order, units));
            bool right = true;
            for (auto& place : ranks(order, mask == Mask::causal)) {
              std::ranges::sort(place);
              right = right && !place.empty();
              for (std::size_t i = 0; i < place.size(); ++i)
                right = right && place[i].first == static_cast<int>(i) &&
                        (i == 0 || place[i - 1].second < place[i].second);
              looked_at += place.size();
            }
            EXPECT_TRUE(right) << heads << "/" << kv_heads << " heads of " << dim << ", length "
                               << seq << ", " << units << " SMs, " << to_string(mask);
          }
  EXPECT_GT(looked_at, 500'000u);
}

/// Blocks that run together are enough when they are as many as tiles in the largest set, and not
/// when they are fewer than those of a head in it: that is why the launch asks for all blocks at
/// once.
TEST(Order, OrderedSumsNeedAsManyBlocksAsASetHasTiles) {
  for (const Mask mask : {Mask::full, Mask::causal})
    for (const auto& [problem, units] : {std::pair(problem_of(5, 384, mask), 3),
                                         {problem_of(5, 384, mask), 7},
                                         {problem_of(2, 700, mask), 4},
                                         {problem_of(16, 4096, mask), 132}}) {
      const Order order = ordered(problem, units);
      const int most = tiles_in_largest_set(order);
      for (const unsigned seed : {1u, 2u})
        EXPECT_TRUE(Execution(problem, units, Tickets::of_sets, seed, most).ends())
            << "length " << problem.seq << ", " << most << " of " << blocks_of(order, units);
      if (order.group != 1) continue;  // blocks that are done with other heads may make room
      EXPECT_FALSE(Execution(problem, units, Tickets::of_sets, 1, most - 1).ends())
          << "length " << problem.seq << ", " << most - 1 << " of " << blocks_of(order, units);
    }
}

TEST(Order, OrderedSumsEndInEveryExecution) {
  for (const auto& [problem, units] : problems_and_units())
    for (const unsigned seed : {1u, 2u})
      EXPECT_TRUE(Execution(problem, units, Tickets::of_sets, seed).ends())
          << problem.heads << " heads, length " << problem.seq << ", " << units << " SMs, "
          << to_string(problem.mask);
}

TEST(Order, BlocksThatTakeSeveralTilesOfASetMayWaitForThemselves) {
  for (const Mask mask : {Mask::full, Mask::causal})
    for (const auto& [problem, units] :
         {std::pair(problem_of(3, 241, mask), 3), {problem_of(16, 4096, mask), 132}}) {
      int stuck = 0;
      for (unsigned seed = 1; seed <= 20 && stuck == 0; ++seed)
        if (!Execution(problem, units, Tickets::of_all, seed).ends()) ++stuck;
      EXPECT_GT(stuck, 0) << "the model does not see it: length " << problem.seq;
    }
}

TEST(Order, AdditionsComeInOneOrderWhateverBlocksDo) {
  for (const Mask mask : {Mask::full, Mask::causal}) {
    const Problem problem = problem_of(6, 700, mask, /*kv_heads=*/3);
    Execution one(problem, 8, Tickets::of_sets, 1), other(problem, 8, Tickets::of_sets, 2);
    ASSERT_TRUE(one.ends() && other.ends());
    EXPECT_EQ(one.additions(), other.additions());
    const int rows = rows_for(problem), tiles = static_cast<int>(tiles_of(problem, rows));
    ASSERT_EQ(one.additions().size(), static_cast<std::size_t>(6 * tiles));
    for (int place = 0; place < 6 * tiles; ++place) {
      const int seen = ((place % tiles + 1) * rows - 1) / tile_keys + 1;
      std::vector<int> of = one.additions()[static_cast<std::size_t>(place)],
                       expected(mask == Mask::full ? 6u : static_cast<unsigned>(std::min(seen, 6)));
      std::ranges::sort(of);
      std::iota(expected.begin(), expected.end(), 0);
      EXPECT_EQ(of, expected) << "head " << place / tiles << ", tile " << place % tiles;
    }
  }
}

TEST(Order, SetsAreAllTurnsAndNoLargerThanTheGrid) {
  for (const auto& [problem, units] : problems_and_units()) {
    const Order order = ordered(problem, units);
    int end = 0, sets = 0;
    for (; order.begin_of_set(sets) < order.count(); ++sets) {
      EXPECT_EQ(order.begin_of_set(sets), end);
      end = order.end_of_set(end);
      EXPECT_LE(end - order.begin_of_set(sets), blocks_of(order, units));
    }
    EXPECT_EQ(end, order.count());
    EXPECT_LE(sets, problem.all_heads() * tiles_of(problem, tile_keys)) << "tickets in workspaces";
  }
}

}  // namespace order_test
}  // namespace ridgeline::attention_backward::on_cuda
