#include <algorithm>
#include <cstring>

#include "harness/emulated/block.hpp"

// What lanes wait for: barriers of the block, and their copies.
namespace ridgeline::emulated {

int Block::barrier(std::uint32_t barrier, std::uint32_t pc, Combine combine, int predicate) {
  Lane& me = *running_;
  me.mask = barrier;
  me.pc = pc;
  me.operation = static_cast<std::uint8_t>(combine);
  me.predicate = predicate;
  park(LaneState::at_barrier);
  return me.predicate;
}

void Block::copy_async(void* to_shared, const void* from_global, bool inside, std::uint32_t pc) {
  if (inside) check_and_log(reinterpret_cast<std::uint64_t>(from_global), pc, Act::copy_read, 16);
  check_and_log(reinterpret_cast<std::uint64_t>(to_shared), pc, Act::copy_begin, 16);
  has_copies_ = true;
  Copies& copies = copies_[running_->thread];
  copies.under_way.push_back({to_shared, inside ? from_global : nullptr, pc});
  if (!inside) return;
  copies.bytes += 16;
  copies.most_bytes = std::max(copies.most_bytes, copies.bytes);
}

void Block::copy_commit() {
  has_copies_ = true;
  Copies& copies = copies_[running_->thread];
  copies.groups.push_back(copies.under_way.size());
}

void Block::copy_wait(int groups, std::uint32_t pc) {
  Copies& copies = copies_[running_->thread];
  const int ended = static_cast<int>(copies.groups.size()) - groups;
  if (ended <= 0) return;
  const std::size_t count = copies.groups[static_cast<std::size_t>(ended) - 1];
  for (std::size_t i = 0; i < count; ++i) {
    const Copies::Copy copy = copies.under_way[i];
    if (copy.from != nullptr) {
      std::memcpy(copy.to, copy.from, 16);
      copies.bytes -= 16;
    } else {
      std::memset(copy.to, 0, 16);
    }
    log(reinterpret_cast<std::uint64_t>(copy.to), pc, Act::copy_end, 16);
  }
  copies.under_way.erase(copies.under_way.begin(), copies.under_way.begin() + static_cast<std::ptrdiff_t>(count));
  copies.groups.erase(copies.groups.begin(), copies.groups.begin() + ended);
  for (std::size_t& end : copies.groups) end -= count;
}

}  // namespace ridgeline::emulated
