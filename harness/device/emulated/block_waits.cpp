#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "harness/device/emulated/block.hpp"

// What lanes wait for: barriers, each other in collectives, and their copies.
namespace ridgeline::device::emulated {

int Block::barrier(std::uint32_t barrier, std::uint32_t pc, Combine combine, int predicate) {
  Lane& me = *running_;
  me.mask = barrier;
  me.pc = pc;
  me.operation = static_cast<std::uint8_t>(combine);
  me.predicate = predicate;
  park(LaneState::at_barrier);
  return me.predicate;
}

bool Block::arrive(std::uint32_t& mask, std::uint32_t pc, Act kept, void* operands) {
  Lane& me = *running_;
  const int here = lanes_of(me.thread / 32);
  if (here < 32) mask &= (1u << here) - 1;  // a last warp that is not whole
  const std::uint32_t mine = 1u << me.thread % 32;
  if ((mask & mine) == 0)
    stop("collective without its caller", pc, -1,
         fmt::format("lane {} is not in the mask {:#010x}", me.thread % 32, mask));
  log(mask, pc, kept, 0);
  me.operands = operands;
  me.mask = mask;
  me.pc = pc;
  std::uint32_t& arrived = arrived_[me.thread / 32];
  arrived |= mine;
  if ((arrived & mask) != mask) {
    park(LaneState::in_collective);
    return false;
  }
  const Lane* const warp = warp_of_running();
  for (std::size_t i = 0; i < 32; ++i)
    if ((mask >> i & 1) != 0 && warp[i].mask != mask)
      stop("collective with different masks", pc, warp[i].thread,
           fmt::format("{:#010x} and {:#010x}", mask, warp[i].mask));
  return true;
}

void Block::depart(std::uint32_t mask) {
  arrived_[running_->thread / 32] &= ~mask;
  if (queue_at_ == queue_size_) queue_at_ = queue_size_ = 0;
  Lane* const warp = warp_of_running();
  for (std::size_t i = 0; i < 32; ++i) {
    if ((mask >> i & 1) == 0 || &warp[i] == running_) continue;
    warp[i].state = LaneState::ready;
    if (queue_size_ < 32) queue_[queue_size_++] = &warp[i];  // others are found when the queue is made anew
  }
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

}  // namespace ridgeline::device::emulated
