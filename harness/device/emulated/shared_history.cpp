#include "harness/device/emulated/shared_history.hpp"

#include <algorithm>
#include <new>
#include <span>

namespace ridgeline::device::emulated {

SharedHistory::SharedHistory(std::size_t bytes)
    : count_((bytes + 3) / 4), words_(static_cast<Word*>(std::calloc(count_, sizeof(Word)))) {
  if (!words_) throw std::bad_alloc();
}

void SharedHistory::begin_block(int warps) {
  constexpr Clock nearly_full = 0xF000;
  Clock latest = block_;
  for (int warp = 0; warp < warps_; ++warp) latest = std::max(latest, now_[static_cast<std::size_t>(warp)]);
  if (latest > nearly_full) {
    std::fill_n(words_.get(), count_, Word{});
    latest = 0;
  }
  warps_ = warps;
  block_ = static_cast<Clock>(latest + 1);
  now_.fill(block_);
  for (auto& of_warp : seen_) of_warp.fill(block_);
}

void SharedHistory::block_barrier() {
  // A block with more barriers than the clock can count starts over: what came before is forgotten, not misread.
  Clock latest = 0;
  for (int warp = 0; warp < warps_; ++warp) latest = std::max(latest, now_[static_cast<std::size_t>(warp)]);
  if (latest == 0xFFFF) {
    for (Word& word : std::span(words_.get(), count_)) {
      const bool written_here = word.since == block_;
      word = {
          .since = static_cast<std::uint16_t>(written_here ? 1 : 0), .written = word.written, .copier = word.copier};
    }
    block_ = 1;
    latest = 1;
  } else {
    ++latest;
  }
  now_.fill(latest);
  for (auto& of_warp : seen_) of_warp.fill(latest);
}

void SharedHistory::warp_barrier(int warp) {
  const auto index = static_cast<std::size_t>(warp);
  if (now_[index] == 0xFFFF) return;  // the next barrier of the block starts over
  seen_[index][index] = ++now_[index];
}

std::optional<SharedHistory::Conflict> SharedHistory::access(std::size_t offset, int bytes, Act act, int thread) {
  const Clock now = now_[static_cast<std::size_t>(thread / 32)];
  std::optional<Conflict> conflict;
  const auto note = [&](const char* what, Cell cell) {
    if (!conflict) conflict = Conflict{what, thread_of(cell)};
  };
  const std::size_t last = (offset + static_cast<std::size_t>(bytes) - 1) / 4;
  for (std::size_t index = offset / 4; index <= last; ++index) {
    Word& word = words_[index];
    const std::uint32_t mask = bytes >= 4 ? 15 : ((1u << bytes) - 1) << offset % 4;
    if (word.since != block_) {
      word.since = block_;
      word.written = 0;
      word.copier = 0;
    }
    if (word.copier != 0 && act != Act::copy_end && !conflict)
      conflict = Conflict{"touched while a copy is under way", word.copier - 1};
    const Cell me = static_cast<Cell>(now) << 16 | static_cast<Cell>(thread) << 5 | mask << 1;
    if (act == Act::read) {
      for (const Cell writer : word.writers)
        if (unordered(writer, thread, mask)) note("race (read after write)", writer);
      if (word.readers[0] == me) continue;
      const bool replaces = thread_of(word.readers[0]) == thread || !unordered(word.readers[0], thread, 15);
      word.readers[replaces ? 0 : 1] = me;
      continue;
    }
    const bool atomic = act == Act::atomic;
    for (const Cell writer : word.writers)
      if (!(atomic && is_atomic(writer)) && unordered(writer, thread, mask)) note("race (write after write)", writer);
    for (const Cell reader : word.readers)
      if (unordered(reader, thread, mask)) note("race (write after read)", reader);
    if (unordered(word.writers[0], thread, 15)) word.writers[1] = word.writers[0];
    word.writers[0] = me | (atomic ? 1 : 0);
    if (act == Act::copy_begin) {
      word.copier = static_cast<std::uint16_t>(thread + 1);
    } else {
      word.copier = 0;
      word.written = static_cast<std::uint8_t>(word.written | mask);
    }
  }
  return conflict;
}

void SharedHistory::mark_written(std::size_t offset, int bytes) {
  const std::size_t last = (offset + static_cast<std::size_t>(bytes) - 1) / 4;
  const std::uint32_t mask = bytes >= 4 ? 15 : ((1u << bytes) - 1) << offset % 4;
  for (std::size_t index = offset / 4; index <= last; ++index) {
    Word& word = words_[index];
    if (word.since != block_) word.written = 0, word.copier = 0, word.since = block_;
    word.written = static_cast<std::uint8_t>(word.written | mask);
  }
}

bool SharedHistory::written(std::size_t offset, int bytes) const {
  const std::size_t last = (offset + static_cast<std::size_t>(bytes) - 1) / 4;
  const std::uint32_t mask = bytes >= 4 ? 15 : ((1u << bytes) - 1) << offset % 4;
  for (std::size_t index = offset / 4; index <= last; ++index)
    if (words_[index].since != block_ || (words_[index].written & mask) != mask) return false;
  return true;
}

}  // namespace ridgeline::device::emulated
