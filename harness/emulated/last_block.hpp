#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

namespace ridgeline::emulated {

/// Finds the block that comes to a counter behind all others of its launch, and reads by volatile
/// loads what each of them has stored, likewise, before it came. That is no race, but volatile
/// accesses do not order each other: without fences, it may read what was there before. Nothing
/// less is told, since a load may be one that is repeated until the value itself has come, which
/// needs no fence; so is one, at `pc`, that another block has made too. Blocks run one at a time.
class LastBlock {
 public:
  /// Blocks have numbers that are not 0.
  void begin_launch(std::uint64_t blocks);
  /// Whether no atomic need be told of.
  bool is_idle() const { return stores_.empty(); }
  /// By a volatile access.
  void store(std::uint32_t block, std::uint64_t address);
  /// By an atomic.
  void update(std::uint32_t block, std::uint64_t address);
  /// By a volatile access: the block whose store, from before it came, the last one reads; 0 for
  /// all other loads.
  std::uint32_t load(std::uint32_t block, std::uint64_t address, std::uint32_t pc);
  /// That no fence orders such a load behind the store of `writer`. Whether that now holds, for the
  /// first time, of all other blocks.
  bool is_unordered(std::uint32_t block, std::uint32_t writer);

 private:
  struct Store {
    std::uint32_t block = 0;
    std::uint64_t at = 0;  // in the order of all stores and updates
  };
  struct Counter {
    std::unordered_map<std::uint32_t, std::uint64_t> come;  // when each block came
    bool is_other = false;  // a block has come twice, so that it does not count blocks
  };
  bool counts_more();

  std::uint64_t blocks_ = 0, now_ = 0;
  std::size_t kept_ = 0;
  bool gave_up_ = false;
  std::unordered_map<std::uint64_t, Store> stores_;
  std::unordered_map<std::uint64_t, Counter> counters_;
  std::unordered_map<std::uint32_t, std::uint64_t> last_;  // to which counters blocks came last
  std::unordered_set<std::uint32_t> unguarded_;  // loads made by blocks that came last to none
  std::unordered_map<std::uint32_t, std::unordered_set<std::uint32_t>> unordered_;
};

}  // namespace ridgeline::emulated
