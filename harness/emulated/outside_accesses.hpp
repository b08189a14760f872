#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "harness/emulated/shared_history.hpp"

namespace ridgeline::emulated {

class Block;
struct Request;

/// What other blocks of its cluster have done to a block's shared memory, as long as the block does
/// not know of it: its own accesses race with that, and it may not end. What a warp knows of other
/// blocks comes by the cluster's barrier and by mbarriers (AsyncUnit). Blocks with fences may have
/// agreed by a flag, and are not judged.
class OutsideAccesses {
 public:
  explicit OutsideAccesses(Block& block) : block_(block) {}
  void begin_block() { by_word_.clear(); }

  /// Notes access number `i` of a request of `from`'s warp, whose warps know of this block, and of
  /// others that came before: what it races with becomes a finding of `from`.
  void note(Block& from, int warp, const Request& request, std::size_t i, bool strong);
  /// What the block has done since races with the accesses that are noted.
  void check() const;
  /// Drops those that all warps know of by now.
  void forget_known();
  /// Behind the last barrier of the block: nobody may come to its shared memory any more.
  void end_block();

 private:
  struct Access {
    std::size_t offset = 0;
    int bytes = 0;
    bool writes = false, strong = false;
    int rank = 0, thread = 0;  // whose it was
    std::uint64_t block = 0;   // and its number
    std::uint32_t pc = 0;
    std::uint32_t moment = 0;      // of that block's history
    std::uint32_t epoch = 0;       // of that history
    std::uint32_t epoch_here = 0;  // and of this block's
    SharedHistory::Clocks seen{};  // what it knew of this block
  };
  bool knows(int warp, const Access& of) const;
  template <class Each>
  void each_access(const Each& each) const;

  Block& block_;
  std::map<std::size_t, std::vector<Access>> by_word_;  // the newest few of each
};

}  // namespace ridgeline::emulated
