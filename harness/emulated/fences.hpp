#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "harness/emulated/shared_history.hpp"

namespace ridgeline::emulated {

/// What blocks of a launch that run one at a time know of each other. A block's fence covers what
/// it has done; an atomic or volatile store behind it hands that to whoever reads the same word by
/// an atomic or volatile load, and has a fence: a GPU asks for one behind the load, and one before
/// it is taken for as good. What a block knows it hands on. Source: PTX ISA, "Memory Consistency
/// Model", "Release and Acquire Patterns".
class Fences {
 public:
  /// Blocks have numbers of any kind, which are not used twice before this.
  void begin_launch();
  bool any() const { return !nodes_.empty(); }
  /// By block `me`, which has done what is before these clocks.
  void fence(std::uint32_t me, const SharedHistory::Clocks& done);
  /// Atomic and volatile accesses.
  void touch_flag(std::uint32_t me, std::uint64_t address, bool reads, bool writes);
  /// Whether the access of `owner` at the moment of its history comes before what `me` does now.
  bool ordered(std::uint32_t owner, std::uint32_t moment, std::uint32_t me);
  bool has_fence(std::uint32_t block) const { return blocks_.contains(block); }

 private:
  struct Node {  // what one fence covers, or several that were handed over by one word
    std::uint32_t block = 0;
    SharedHistory::Clocks done{};
    std::vector<const Node*> after;
  };
  struct Block {
    const Node* fence = nullptr;    // its last one
    std::vector<const Node*> read;  // since then
    // Of which fence `known` is, and of how many reads behind it.
    const Node* known_at = nullptr;
    std::size_t known_reads = 0;
    std::unordered_map<std::uint32_t, SharedHistory::Clocks> known{};
  };
  void learn(Block& block) const;

  std::deque<Node> nodes_;
  std::unordered_map<std::uint32_t, Block> blocks_;  // that have fences, or read what others
                                                     // release
  std::unordered_map<std::uint64_t, const Node*> flags_;
};

}  // namespace ridgeline::emulated
