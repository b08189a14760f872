#include "harness/emulated/shared_history.hpp"

#include <algorithm>
#include <new>
#include <span>
#include <utility>

namespace ridgeline::emulated {

SharedHistory::SharedHistory(std::size_t bytes)
    : count_((bytes + 3) / 4), words_(static_cast<Word*>(std::calloc(count_, sizeof(Word)))) {
  if (!words_) throw std::bad_alloc();
}

void SharedHistory::begin_block(int warps) {
  constexpr Clock nearly_full = 0xF000;
  const Clock latest = std::max(block_, *std::ranges::max_element(now_));
  warps_ = warps;
  unit_acts_ = false;
  forget_fences();
  if (latest > nearly_full) {
    std::fill_n(words_.get(), count_, Word{});
    return start_over();
  }
  begin_clocks(static_cast<Clock>(latest + 1));
}

void SharedHistory::begin_clocks(Clock first) {
  ++epoch_;
  block_ = first;
  now_.fill(first);
  for (auto& of_warp : seen_) of_warp.fill(first);
  for (auto& of_warp : fenced_) of_warp.fill(first);
  for (int warp = 0; warp < warps_; ++warp) find_oldest(warp);
}

void SharedHistory::find_oldest(int warp) {
  const Clocks& seen = seen_[static_cast<std::size_t>(warp)];
  Clock oldest = *std::min_element(seen.begin(), seen.begin() + warps_);
  if (unit_acts_) oldest = std::min(oldest, seen[most_warps]);
  oldest_[static_cast<std::size_t>(warp)] = cell_of(oldest, 0, 0);
}

void SharedHistory::start_over() {
  for (Word& word : std::span(words_.get(), count_)) {
    const bool is_of_block = word.state.since == block_;
    const State state = word.state;
    word = {};
    word.state = state;
    word.state.since = is_of_block ? 1 : 0;
  }
  begin_clocks(1);
  forget_fences();
}

void SharedHistory::forget_fences() {
  published_.fill(0);
  fences_ = false;
  if (!std::exchange(fenced_threads_, false)) return;
  for (auto& of_thread : own_fences_) of_thread.clear();
}

void SharedHistory::tick(int warp) {
  Clock& now = now_[static_cast<std::size_t>(warp)];
  if (now == 0xFFFF) start_over();
  ++now;
}

void SharedHistory::block_barrier() {
  const auto warps = static_cast<std::size_t>(warps_);
  const Clock latest = *std::max_element(now_.begin(), now_.begin() + warps_);
  if (latest == 0xFFFF) return start_over();
  Clocks seen, fenced{};
  seen.fill(block_);  // also of warps that an earlier block had
  for (std::size_t warp = 0; warp < warps; ++warp) {
    for (std::size_t of = 0; of < warps; ++of) fenced[of] = std::max(fenced[of], fenced_[warp][of]);
    // The unit does not come to barriers.
    seen[most_warps] = std::max(seen[most_warps], seen_[warp][most_warps]);
  }
  for (std::size_t warp = 0; warp < warps; ++warp) {
    now_[warp] = static_cast<Clock>(latest + 1);
    seen[warp] = now_[warp];
  }
  for (std::size_t warp = 0; warp < warps; ++warp) {
    seen_[warp] = seen;
    fenced_[warp] = fenced;
  }
  find_oldest(0);
  std::fill_n(oldest_.begin(), warps, oldest_[0]);  // all know the same
  if (!std::exchange(fences_, false)) return;
  for (auto& of_thread : own_fences_)  // all threads know of the last one
    if (of_thread.size() > 1) of_thread.erase(of_thread.begin(), of_thread.end() - 1);
}

void SharedHistory::warp_barrier(int warp) {
  const auto index = static_cast<std::size_t>(warp);
  tick(warp);
  seen_[index][index] = now_[index];
  if (warps_ == 1) find_oldest(warp);  // of several, the others' clocks are older
}

void SharedHistory::thread_fence(int warp) {
  const auto index = static_cast<std::size_t>(warp);
  tick(warp);
  for (std::size_t other = 0; other <= most_warps; ++other) {
    published_[other] = std::max(published_[other], seen_[index][other]);
    seen_[index][other] = published_[other];
  }
  seen_[index][index] = published_[index] = now_[index];
}

SharedHistory::Word& SharedHistory::fresh(std::size_t index) {
  Word& word = words_[index];
  if (word.state.since != block_) word.state = {.since = block_};
  return word;
}

std::optional<SharedHistory::Conflict> SharedHistory::access(std::size_t offset, int bytes, Act act,
                                                             int thread, Stored stored) {
  const Clock now = now_[static_cast<std::size_t>(thread / 32)];
  std::optional<Conflict> conflict;
  const auto note = [&](const char* what, Cell cell, bool same_value = false) {
    if (!conflict || (conflict->same_value && !same_value))
      conflict = Conflict{what, thread_of(cell), same_value, false, is_atomic(cell)};
  };
  const auto is_with = [&](Cell cell) {
    const int other = thread_of(cell);
    return other / 32 == thread / 32 && (stored.with >> other % 32 & 1) != 0;
  };
  const std::size_t last = (offset + static_cast<std::size_t>(bytes) - 1) / 4;
  for (std::size_t index = offset / 4; index <= last; ++index) {
    Word& word = fresh(index);
    const std::uint32_t mask = bytes >= 4 ? 15 : ((1u << bytes) - 1) << offset % 4;
    if (word.state.copier != 0 && act != Act::copy_end &&
        !(word.state.read != 0 && act == Act::read) && !conflict)
      conflict = Conflict{touched_under_way, word.state.copier - 1};
    const bool atomic = act == Act::atomic || stored.is_strong;
    const Cell me = cell_of(now, thread, mask) | (atomic ? 1 : 0);
    if (act == Act::read) {
      for (const Cell writer : word.writers)
        if (unordered(writer, thread, mask) && !(atomic && is_atomic(writer)))
          note(read_after_write, writer);
      note_reader(word, me, thread);
      continue;
    }
    for (const Cell writer : word.writers)
      if (!(atomic && is_atomic(writer)) && unordered(writer, thread, mask) && !is_with(writer))
        note(write_after_write, writer, stored.as_before);
    for (const Cell reader : word.readers)
      if (unordered(reader, thread, mask) && !(atomic && is_atomic(reader))) {
        note(write_after_read, reader);
        conflict->with_read = true;
      }
    // An atomic does not order what its thread has stored plainly before it.
    const bool hides_plain = atomic && word.writers[0] != 0 && !is_atomic(word.writers[0]) &&
                             thread_of(word.writers[0]) == thread;
    if (hides_plain || unordered(word.writers[0], thread, 15)) word.writers[1] = word.writers[0];
    word.writers[0] = me;
    if (act == Act::copy_begin) {
      word.state.copier = static_cast<std::uint16_t>(thread + 1);
    } else {
      if (word.state.read == 0) word.state.copier = 0;
      word.state.written = static_cast<std::uint16_t>(word.state.written | mask);
    }
  }
  return conflict;
}

void SharedHistory::make_known(std::size_t offset, int bytes) {
  const std::size_t last = (offset + static_cast<std::size_t>(bytes) - 1) / 4;
  for (std::size_t index = offset / 4; index <= last; ++index) {
    Word& word = fresh(index);
    for (Cell* const cell :
         {&word.writers[0], &word.writers[1], &word.readers[0], &word.readers[1]})
      *cell = 0;
  }
}

void SharedHistory::mark_written(std::size_t offset, int bytes) {
  const std::size_t last = (offset + static_cast<std::size_t>(bytes) - 1) / 4;
  const std::uint32_t mask = bytes >= 4 ? 15 : ((1u << bytes) - 1) << offset % 4;
  for (std::size_t index = offset / 4; index <= last; ++index) {
    Word& word = fresh(index);
    word.state.written = static_cast<std::uint16_t>(word.state.written | mask);
  }
}

bool SharedHistory::written(std::size_t offset, int bytes) const {
  const std::size_t last = (offset + static_cast<std::size_t>(bytes) - 1) / 4;
  const std::uint32_t mask = bytes >= 4 ? 15 : ((1u << bytes) - 1) << offset % 4;
  for (std::size_t index = offset / 4; index <= last; ++index)
    if (words_[index].state.since != block_ || (words_[index].state.written & mask) != mask)
      return false;
  return true;
}

bool SharedHistory::any_written(std::size_t offset, std::size_t bytes) const {
  for (std::size_t byte = offset; byte < offset + bytes && byte / 4 < count_; ++byte) {
    const State& state = words_[byte / 4].state;
    if (state.since == block_ && (state.written >> byte % 4 & 1) != 0) return true;
  }
  return false;
}

}  // namespace ridgeline::emulated
