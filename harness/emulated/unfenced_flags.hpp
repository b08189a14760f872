#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

namespace ridgeline::emulated {

/// Finds volatile loads of what another block has stored, likewise, before it stored a flag, by
/// which the reader came to know of it: by a volatile store or an exchange, and a volatile load or
/// an atomic that takes a lock or changes nothing. That is no race, but such accesses do not order
/// each other. Other atomics count or hand out places, which says nothing of what was stored before
/// them. Whether the reader has a fence is not asked here. Blocks run one at a time.
class UnfencedFlags {
 public:
  /// Who accesses: the block has a number that is not 0, and has passed so many barriers.
  struct Toucher {
    std::uint32_t block = 0;
    int thread = 0;
    std::uint64_t barriers = 0;
    std::uint32_t pc = 0;
  };
  enum class Kind : std::uint8_t { load, store, exchange, swap, look, update };

  void begin_launch();
  void fence(std::uint32_t block) { ++fences_[block]; }
  /// The other block, where a load reads what it has stored and published without a fence; 0 for
  /// all other accesses. `polls`: the load is one of a flag.
  std::uint32_t touch(const Toucher& me, Kind kind, std::uint64_t address, bool polls);

 private:
  struct Store {
    Toucher by;
    std::uint64_t at = 0;      // in the order of all
    std::uint64_t fences = 0;  // that the block has had
    bool is_data = false;
  };
  struct Seen {
    Store flag;
    Toucher by;
  };
  static bool comes_before(const Toucher& first, const Toucher& second) {
    return first.thread == second.thread || first.barriers < second.barriers;
  }
  static std::uint64_t pair_of(std::uint32_t me, std::uint32_t writer) {
    return std::uint64_t{me} << 32 | writer;
  }
  void look(const Toucher& me, std::uint64_t address);
  std::uint32_t load(const Toucher& me, std::uint64_t address, bool polls);

  std::uint64_t now_ = 0;
  std::unordered_map<std::uint32_t, std::uint64_t> fences_;  // of each block
  std::unordered_map<std::uint64_t, Store> stores_;          // the last one to each place
  std::unordered_map<std::uint64_t, Seen> seen_;             // by one block of another one
  std::unordered_set<std::uint32_t> takes_locks_;            // blocks
  std::unordered_set<std::uint32_t> unguarded_;              // loads that were made without a flag
};

}  // namespace ridgeline::emulated
