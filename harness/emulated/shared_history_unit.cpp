#include <algorithm>
#include <utility>

#include "harness/emulated/shared_history.hpp"

// What orders threads and the asynchronous unit. The unit accesses shared memory through the async
// proxy: a thread's store is visible to it once a fence.proxy.async stands between, in the thread
// itself or in one that knows of it. Source: PTX ISA, "Memory Consistency Model", "Proxies" and
// "Causality order".
namespace ridgeline::emulated {
namespace {

void join(auto& to, const auto& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = std::max(to[i], from[i]);
}

}  // namespace

void SharedHistory::release(int warp, Knowledge& to) {
  const auto index = static_cast<std::size_t>(warp);
  tick(warp);  // what follows is not released
  if (to.epoch != epoch_) to = {.epoch = epoch_};
  join(to.seen, seen_[index]);
  join(to.fenced, fenced_[index]);
  to.seen[index] = now_[index];
}

void SharedHistory::acquire(int warp, const Knowledge& from) {
  if (from.epoch != epoch_) return;  // of accesses that have been forgotten
  const auto index = static_cast<std::size_t>(warp);
  const Clock mine = seen_[index][index];  // lanes are ordered by their warp's barriers
  join(seen_[index], from.seen);
  seen_[index][index] = mine;
  join(fenced_[index], from.fenced);
  find_oldest(warp);
}

void SharedHistory::release_unit(Knowledge& to) {
  if (to.epoch != epoch_) to = {.epoch = epoch_};
  tick(most_warps);
  to.seen[most_warps] = std::max(to.seen[most_warps], now_[most_warps]);
}

void SharedHistory::fence(int thread) {
  const auto warp = static_cast<std::size_t>(thread / 32);
  own_fences_[static_cast<std::size_t>(thread)].push_back(now_[warp]);
  join(fenced_[warp], seen_[warp]);
  fences_ = fenced_threads_ = true;
  tick(thread / 32);
}

bool SharedHistory::is_fenced(Cell write, int thread) const {
  const int writer = thread_of(write);
  if (writer == unit_thread) return true;  // it sees what it has written
  const auto mine = static_cast<std::size_t>(thread / 32),
             its = static_cast<std::size_t>(writer / 32);
  if (clock_of(write) < fenced_[mine][its]) return true;
  const std::vector<Clock>& fences = own_fences_[static_cast<std::size_t>(writer)];
  const auto after = std::ranges::lower_bound(fences, clock_of(write));
  return after != fences.end() && (writer == thread || *after < seen_[mine][its]);
}

template <class Unordered, class Fenced>
std::optional<SharedHistory::Conflict> SharedHistory::begin_unit_if(std::size_t offset, int thread,
                                                                    bool writes,
                                                                    const Unordered& is_unordered,
                                                                    const Fenced& is_seen) {
  std::optional<Conflict> conflict;
  const auto note = [&](const char* what, int other) {
    if (!conflict) conflict = Conflict{what, other};
  };
  for (std::size_t index = offset / 4; index < offset / 4 + 4; ++index) {
    Word& word = fresh(index);
    if (word.state.copier != 0 && (writes || word.state.read == 0))
      note(touched_under_way, word.state.copier - 1);
    if (!writes && word.state.written != 15) note("uninitialised (shared)", -1);
    for (const Cell writer : word.writers) {
      if (writer == 0 || clock_of(writer) < block_) continue;
      if (is_unordered(writer))
        note(writes ? write_after_write : read_after_write, thread_of(writer));
      else if (!is_seen(writer))
        note("missing fence.proxy.async", thread_of(writer));
    }
    if (writes) {
      for (const Cell reader : word.readers)
        if (is_unordered(reader)) note(write_after_read, thread_of(reader));
    } else if (word.state.copier == 0 || word.state.read != 0) {
      ++word.state.read;
    } else {
      continue;
    }
    word.state.copier = static_cast<std::uint16_t>(thread + 1);
  }
  return conflict;
}

std::optional<SharedHistory::Conflict> SharedHistory::begin_unit(std::size_t offset, int thread,
                                                                 bool writes) {
  return begin_unit_if(
      offset, thread, writes, [&](Cell cell) { return unordered(cell, thread, 15); },
      [&](Cell write) { return is_fenced(write, thread); });
}

void SharedHistory::learn(Knowledge& to, const Knowledge& from) {
  if (from.epoch < to.epoch) return;  // of accesses that have been forgotten
  if (from.epoch > to.epoch) to = {.epoch = from.epoch};
  join(to.seen, from.seen);
  join(to.fenced, from.fenced);
}

SharedHistory::Knowledge SharedHistory::everything() {
  for (int warp = 0; warp <= most_warps; ++warp) tick(warp);  // what follows is not known
  return {.seen = now_, .epoch = epoch_};
}

SharedHistory::Clocks SharedHistory::seen_by(const Knowledge& known) const {
  Clocks seen;
  seen.fill(block_);
  if (known.epoch == epoch_) join(seen, known.seen);
  return seen;
}

std::optional<SharedHistory::Conflict> SharedHistory::begin_unit_from_outside(
    std::size_t offset, const Knowledge& known) {
  const Clocks seen = seen_by(known);
  return begin_unit_if(
      offset, unit_thread, true,
      [&](Cell cell) {
        return clock_of(cell) >= seen[static_cast<std::size_t>(thread_of(cell) / 32)];
      },
      [](Cell) { return true; });
}

std::optional<SharedHistory::Conflict> SharedHistory::access_from_outside(
    std::size_t offset, int bytes, bool writes, bool strong, const Clocks& seen) const {
  const std::size_t last = (offset + static_cast<std::size_t>(bytes) - 1) / 4;
  const std::uint32_t mask = bytes >= 4 ? 15 : ((1u << bytes) - 1) << offset % 4;
  const auto races = [&](Cell cell) {
    return cell != 0 && (cell >> 1 & mask) != 0 && !(strong && is_atomic(cell)) &&
           clock_of(cell) >= seen[static_cast<std::size_t>(thread_of(cell) / 32)];
  };
  for (std::size_t index = offset / 4; index <= last; ++index) {
    for (const Cell writer : words_[index].writers)
      if (races(writer))
        return Conflict{writes ? write_after_write : read_after_write, thread_of(writer)};
    for (const Cell reader : words_[index].readers)
      if (writes && races(reader)) return Conflict{write_after_read, thread_of(reader)};
  }
  return std::nullopt;
}

std::optional<SharedHistory::Conflict> SharedHistory::arrival_from_outside(
    std::size_t offset, const Knowledge& known) const {
  const Clocks seen = seen_by(known);
  for (const Cell writer : words_[offset / 4].writers)
    if (!is_atomic(writer) &&
        clock_of(writer) >= seen[static_cast<std::size_t>(thread_of(writer) / 32)])
      return Conflict{write_after_write, thread_of(writer)};
  return std::nullopt;
}

void SharedHistory::unit_acts() {
  if (std::exchange(unit_acts_, true)) return;
  for (int warp = 0; warp < warps_; ++warp) find_oldest(warp);
}

void SharedHistory::end_unit_write(std::size_t offset) {
  unit_acts();
  for (std::size_t index = offset / 4; index < offset / 4 + 4; ++index) {
    Word& word = fresh(index);
    word.state.copier = 0;
    word.state.written = 15;
    word.writers[0] = cell_of(now_[most_warps], unit_thread, 15);
    word.writers[1] = 0;
    word.readers[0] = word.readers[1] = 0;  // whoever read before was looked at when the write
                                            // began
  }
}

void SharedHistory::end_unit_read(std::size_t offset, int thread) {
  if (thread == unit_thread) unit_acts();
  const Cell me = cell_of(now_[static_cast<std::size_t>(thread / 32)], thread, 15);
  for (std::size_t index = offset / 4; index < offset / 4 + 4; ++index) {
    Word& word = fresh(index);
    if (word.state.read != 0) {
      --word.state.read;
      if (word.state.read == 0) word.state.copier = 0;
    }
    note_reader(word, me, thread);
  }
}

}  // namespace ridgeline::emulated
