#include "harness/emulated/last_block.hpp"

namespace ridgeline::emulated {

// Two blocks look alike to one that waits for the other's value.
constexpr std::uint64_t fewest_blocks = 3;
// Stores and updates that are kept: more cost more than they find.
constexpr std::size_t most_kept = 200'000;

void LastBlock::begin_launch(std::uint64_t blocks) {
  blocks_ = blocks;
  now_ = kept_ = 0;
  gave_up_ = blocks < fewest_blocks;
  stores_.clear();
  counters_.clear();
  last_.clear();
  unguarded_.clear();
  unordered_.clear();
}

/// Makes room for one more; false when there is none.
bool LastBlock::counts_more() {
  if (!gave_up_ && ++kept_ <= most_kept) return true;
  gave_up_ = true;
  stores_.clear();
  counters_.clear();
  last_.clear();
  return false;
}

void LastBlock::store(std::uint32_t block, std::uint64_t address) {
  if (gave_up_) return;
  const auto known = stores_.find(address);
  if (known != stores_.end())
    known->second = {block, ++now_};
  else if (counts_more())
    stores_[address] = {block, ++now_};
}

void LastBlock::update(std::uint32_t block, std::uint64_t address) {
  Counter& counter = counters_[address];
  if (counter.is_other || !counts_more()) return;
  if (!counter.come.emplace(block, ++now_).second) {
    counter.is_other = true;
    counter.come.clear();
  } else if (counter.come.size() == blocks_) {
    last_[block] = address;
  }
}

std::uint32_t LastBlock::load(std::uint32_t block, std::uint64_t address, std::uint32_t pc) {
  if (gave_up_) return 0;
  const auto last = last_.find(block);
  if (last == last_.end()) unguarded_.insert(pc);
  const auto stored = stores_.find(address);
  if (stored == stores_.end() || stored->second.block == block) return 0;
  if (last != last_.end() && !unguarded_.contains(pc)) {
    const Counter& counter = counters_[last->second];
    const auto came = counter.come.find(stored->second.block);
    if (came != counter.come.end() && stored->second.at < came->second) return came->first;
  }
  stores_.erase(stored);  // a block looks there without the counter
  return 0;
}

bool LastBlock::is_unordered(std::uint32_t block, std::uint32_t writer) {
  std::unordered_set<std::uint32_t>& from = unordered_[block];
  return from.insert(writer).second && from.size() + 1 == blocks_;
}

}  // namespace ridgeline::emulated
