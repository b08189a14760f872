#include "harness/emulated/resident_blocks.hpp"

#include <algorithm>

namespace ridgeline::emulated {

ResidentBlocks::ResidentBlocks(std::size_t blocks, std::uint64_t number, bool cluster, int threads)
    : number_(number),
      cluster_(cluster),
      blocks_(blocks),
      active_(blocks, true),
      all_here_(static_cast<std::ptrdiff_t>(blocks)),
      active_count_(blocks),
      threads_(blocks * static_cast<std::uint64_t>(threads)) {
  for (std::size_t place = 0; place < blocks; ++place) turns_.emplace_back(place == 0 ? 1 : 0);
}

bool ResidentBlocks::enter(std::size_t place, Block& block) {
  blocks_[place] = &block;
  all_here_.arrive_and_wait();
  turns_[place].acquire();
  return !stopped_;
}

void ResidentBlocks::wake_next(std::size_t place) {
  for (std::size_t step = 1; step <= blocks_.size(); ++step) {
    const std::size_t next = (place + step) % blocks_.size();
    if (!active_[next]) continue;
    turns_[next].release();
    return;
  }
}

bool ResidentBlocks::pass(std::size_t place, bool progress, bool counts) {
  if (!patience_.lasts(progress, counts, active_count_)) stopped_ = deadlocked_ = true;
  if (stopped_) return false;
  if (active_count_ == 1) return true;
  wake_next(place);
  turns_[place].acquire();
  return !stopped_;
}

void ResidentBlocks::leave(std::size_t place, bool completed) {
  patience_.renew();
  stopped_ = stopped_ || !completed;
  active_[place] = false;
  if (--active_count_ != 0) wake_next(place);
}

bool ResidentBlocks::has_left(const Block& block) const {
  return !active_[static_cast<std::size_t>(std::ranges::find(blocks_, &block) - blocks_.begin())];
}

void ResidentBlocks::complete_phase() {
  if (arrived_ != threads_ || threads_ == 0) return;
  arrived_ = 0;
  ++phase_;
}

void ResidentBlocks::arrive() {
  ++arrived_;
  complete_phase();
}

void ResidentBlocks::thread_has_ended() {
  --threads_;
  complete_phase();
}

}  // namespace ridgeline::emulated
