#include "harness/emulated/fences.hpp"

#include <algorithm>

namespace ridgeline::emulated {

void Fences::begin_launch() {
  nodes_.clear();
  blocks_.clear();
  flags_.clear();
}

void Fences::fence(std::uint32_t me, const SharedHistory::Clocks& done) {
  Block& block = blocks_[me];
  Node& node = nodes_.emplace_back(Node{me, done, std::move(block.read)});
  block.read.clear();
  if (block.fence != nullptr) node.after.push_back(block.fence);
  block.fence = &node;
}

void Fences::touch_flag(std::uint32_t me, std::uint64_t address, bool reads, bool writes) {
  const auto flag = flags_.find(address);
  const Node* const there = flag == flags_.end() ? nullptr : flag->second;
  const auto block = blocks_.find(me);
  const Node* const mine = block == blocks_.end() ? nullptr : block->second.fence;
  if (reads && there != nullptr && there != mine) {
    std::vector<const Node*>& read = blocks_[me].read;
    if (read.empty() || read.back() != there) read.push_back(there);
  }
  if (!writes || (there == mine && mine != nullptr)) return;
  if (!reads || there == nullptr) {
    if (mine != nullptr)
      flags_[address] = mine;
    else if (there != nullptr)
      flags_.erase(flag);  // a store that hands nothing over, in the place of one that did
    return;
  }
  // An update hands on what was there.
  if (mine != nullptr) flag->second = &nodes_.emplace_back(Node{0, {}, {there, mine}});
}

/// All that can be reached from the block's last fence, and from what it has read since: the fence
/// behind the flag is often left out where the block has one before it.
void Fences::learn(Block& block) const {
  if (block.known_at == block.fence && block.known_reads == block.read.size()) return;
  block.known_at = block.fence;
  block.known_reads = block.read.size();
  block.known.clear();
  std::vector<const Node*> left = block.read;
  left.push_back(block.fence);
  std::unordered_set<const Node*> seen(left.begin(), left.end());
  while (!left.empty()) {
    const Node* const node = left.back();
    left.pop_back();
    if (node->block != 0) {
      SharedHistory::Clocks& done = block.known[node->block];
      for (std::size_t i = 0; i < done.size(); ++i) done[i] = std::max(done[i], node->done[i]);
    }
    for (const Node* const before : node->after)
      if (seen.insert(before).second) left.push_back(before);
  }
}

bool Fences::ordered(std::uint32_t owner, std::uint32_t moment, std::uint32_t me) {
  const auto block = blocks_.find(me);
  if (block == blocks_.end() || block->second.fence == nullptr) return false;
  // To follow more costs more than it finds.
  constexpr std::size_t most = 200'000;
  if (nodes_.size() > most) return blocks_.contains(owner);
  learn(block->second);
  const auto known = block->second.known.find(owner);
  if (known == block->second.known.end()) return false;
  const auto warp = static_cast<std::size_t>(SharedHistory::thread_of(moment) / 32);
  return SharedHistory::clock_of(moment) < known->second[warp];
}

}  // namespace ridgeline::emulated
