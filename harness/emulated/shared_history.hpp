#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "harness/emulated/log.hpp"

namespace ridgeline::emulated {

/// What is known of a store: threads of its warp that have stored the same value by the same
/// instruction, which is defined; and whether the value was there before.
struct Stored {
  std::uint32_t with = 0;
  bool as_before = false;
  bool is_strong = false;  // also of loads: volatile ones do not race with atomics
};

/// Who touched each word of a block's shared memory last, and when: finds races by happens-before.
/// Warps have vector clocks; __syncthreads() orders all threads, __syncwarp() those of a warp, and
/// release() and acquire() those that meet at an mbarrier. The asynchronous unit, which copies and
/// multiplies beside the threads, is a thread of its own. Two writers and two readers are kept a
/// word, so a race with an older one can be missed; none is invented.
class SharedHistory {
 public:
  static constexpr int most_warps = 32;
  static constexpr int unit_thread = 32 * most_warps;  // the asynchronous unit's
  using Clock = std::uint16_t;
  using Clocks = std::array<Clock, most_warps + 1>;  // of each warp, and last of the asynchronous
                                                     // unit

 private:
  // clock: 16 bits, thread: 11, bytes of the word: 4, atomic: 1
  using Cell = std::uint32_t;
  struct State {
    std::uint16_t since = 0;    // clock of the block that the word's rest is of
    std::uint16_t copier = 0;   // thread + 1 of the copy that is under way, to here or from here
    std::uint16_t read = 0;     // how many copies from here are under way
    std::uint16_t written = 0;  // bytes
  };
  struct Word {
    Cell writers[2] = {}, readers[2] = {};
    State state;
  };

 public:
  static constexpr const char *read_after_write = "race (read after write)",
                              *write_after_write = "race (write after write)",
                              *write_after_read = "race (write after read)";
  struct Conflict {
    const char* what;         // "race (read after write)", or another order
    int other;                // thread of the earlier access; unit_thread for the asynchronous unit
    bool same_value = false;  // was stored by both
    bool with_read = false;   // of a store: it races with a read, too
    bool with_strong = false;  // the earlier access was atomic or volatile
  };

  /// What is known of each warp, and last of the asynchronous unit: accesses before these clocks
  /// come before.
  struct Knowledge {
    std::array<Clock, most_warps + 1> seen{};    // all accesses
    std::array<Clock, most_warps + 1> fenced{};  // writes that the asynchronous unit sees, too
    std::uint32_t epoch = 0;
  };

  explicit SharedHistory(std::size_t bytes);

  /// Forgets the last block.
  void begin_block(int warps);
  void block_barrier();
  void warp_barrier(int warp);
  /// Notes an access of 1 to 16 bytes, aligned to its size, and returns what it races with. Words
  /// that a copy is on its way to may not be touched by anybody.
  std::optional<Conflict> access(std::size_t offset, int bytes, Act act, int thread,
                                 Stored stored = {});
  /// Accesses that a warp makes now to whole words, of which most are in order after all others to
  /// the word, and reads of what was written in order before. Each returns false when there is more
  /// to say or to note: access() does, also after this has noted a part.
  class Quick {
   public:
    Quick(SharedHistory& history, int warp)
        : history_(history),
          words_(history.words_.get()),
          oldest_(history.oldest_[static_cast<std::size_t>(warp)]),
          now_(cell_of(history.now_[static_cast<std::size_t>(warp)], 0)),
          plain_({history.block_, 0, 0, 15}) {}
    bool read(std::size_t index, int thread) const {
      Word& word = words_[index];
      if (bits(word.state) != bits(plain_) || !are_ordered(word.writers, thread)) return false;
      const Cell me = now_ | static_cast<Cell>(thread) << 5;
      const Cell differs = word.readers[0] ^ me;
      if (differs == 0) return true;
      constexpr Cell lanes = 31u << 5;
      const bool by_another_lane = (differs & ~lanes) == 0;  // now, too
      word.readers[!by_another_lane && is_ordered(word.readers[0], thread) ? 0 : 1] = me;
      return true;
    }
    /// The same read by several threads of the warp, in ascending order.
    bool read(std::size_t index, std::span<const std::uint8_t> lanes, int first_thread) const {
      Word& word = words_[index];
      if (bits(word.state) != bits(plain_) ||
          std::max({word.writers[0], word.writers[1], word.readers[0]}) >= oldest_)
        return false;
      word.readers[0] = now_ | static_cast<Cell>(first_thread + lanes.front()) << 5;
      word.readers[1] = now_ | static_cast<Cell>(first_thread + lanes.back()) << 5;
      return true;
    }
    bool write(std::size_t index, int thread) const {
      Word& word = words_[index];
      if (word.state.since != plain_.since || word.state.copier != 0) return false;
      if (!are_ordered(word.writers, thread) || !are_ordered(word.readers, thread)) return false;
      word.writers[0] = now_ | static_cast<Cell>(thread) << 5;
      word.state.written = 15;
      return true;
    }

   private:
    static std::uint64_t bits(const auto& state) { return std::bit_cast<std::uint64_t>(state); }
    bool is_ordered(std::uint32_t cell, int thread) const {
      return cell < oldest_ || history_.ordered(cell, thread);
    }
    bool are_ordered(const std::uint32_t (&cells)[2], int thread) const {
      return std::max(cells[0], cells[1]) < oldest_ ||
             (history_.ordered(cells[0], thread) && history_.ordered(cells[1], thread));
    }
    const SharedHistory& history_;
    Word* const words_;
    const std::uint32_t oldest_, now_;
    const State plain_;
  };
  /// Nobody races with what was done there so far.
  void make_known(std::size_t offset, int bytes);
  /// Notes that another block has written there.
  void mark_written(std::size_t offset, int bytes);
  /// Whether every byte has been written in this block.
  bool written(std::size_t offset, int bytes) const;
  /// Whether some byte has.
  bool any_written(std::size_t offset, std::size_t bytes) const;

  /// What the warp knows and has done becomes part of `to`, which another warp may acquire.
  void release(int warp, Knowledge& to);
  void acquire(int warp, const Knowledge& from);
  /// __threadfence(): what was ordered before it in its warp comes before all that is behind a
  /// later one of the block. Which flag the threads have agreed on is not asked, so that a race can
  /// be missed.
  void thread_fence(int warp);
  /// Accesses before these clocks were ordered by a fence of the block.
  const Clocks& published() const { return published_; }

  // Accesses to other memory by the same clocks: each is kept as a moment, which is never 0.
  std::uint32_t moment(int thread, std::uint32_t mask, bool strong) const {
    return cell_of(now_[static_cast<std::size_t>(thread / 32)], thread, mask) | (strong ? 1 : 0);
  }
  /// Whether an access of this block races with the thread's one of now. Strong ones, by atomics or
  /// volatile, do not race with each other.
  bool races(std::uint32_t moment, int thread, std::uint32_t mask, bool strong) const {
    // A moment after its warp's present one is of older clocks.
    return unordered(moment, thread, mask) && !(strong && is_atomic(moment)) &&
           clock_of(moment) <= now_[static_cast<std::size_t>(thread_of(moment) / 32)];
  }
  static int thread_of(std::uint32_t moment) { return static_cast<int>(moment >> 5 & 2047); }
  static Clock clock_of(std::uint32_t moment) { return static_cast<Clock>(moment >> 16); }

  /// What comes before in `thread`, and what it knows of, is made visible to the asynchronous unit.
  void fence(int thread);

  // The unit accesses 16 bytes, aligned, on behalf of `thread`, at any time from begin to end.
  std::optional<Conflict> begin_unit(std::size_t offset, int thread, bool writes);
  void end_unit_write(std::size_t offset);
  void end_unit_read(std::size_t offset, int thread);
  /// What the unit has done so far becomes part of `to`.
  void release_unit(Knowledge& to);

  // Other blocks of a cluster, of which each warp, and each mbarrier, has knowledge apart.

  static void learn(Knowledge& to, const Knowledge& from);
  /// All that this block has done so far.
  Knowledge everything();
  /// begin_unit() of a write that another block has started, which knows that much of this one.
  std::optional<Conflict> begin_unit_from_outside(std::size_t offset, const Knowledge& known);
  /// What an access of a thread of another block races with, which comes behind what is before
  /// `seen`. Strong ones are atomic or volatile.
  std::optional<Conflict> access_from_outside(std::size_t offset, int bytes, bool writes,
                                              bool strong, const Clocks& seen) const;
  /// What comes before on behalf of somebody who knows so much: at least what earlier blocks did.
  Clocks seen_by(const Knowledge& known) const;
  /// Moments of another epoch are of accesses that have been forgotten.
  std::uint32_t epoch() const { return epoch_; }
  /// What the arrival of a thread of another block at an mbarrier races with.
  std::optional<Conflict> arrival_from_outside(std::size_t offset, const Knowledge& known) const;

 private:
  static Cell cell_of(Clock now, int thread,
                      std::uint32_t mask = 15) {  // of those bytes of the word
    return static_cast<Cell>(now) << 16 | static_cast<Cell>(thread) << 5 | mask << 1;
  }
  /// Of the same thread, or known to have been before what it does now.
  bool ordered(Cell cell, int thread) const {
    return clock_of(cell) < seen_[static_cast<std::size_t>(thread / 32)][cell >> 10 & 63] ||
           thread_of(cell) == thread || cell == 0;
  }
  static bool is_atomic(Cell cell) { return (cell & 1) != 0; }
  /// Of another thread, on a byte of `mask`, and not ordered before `thread`.
  bool unordered(Cell cell, int thread, std::uint32_t mask) const {
    return cell != 0 &&
           clock_of(cell) >= seen_[static_cast<std::size_t>(thread / 32)]
                                  [static_cast<std::size_t>(thread_of(cell) / 32)] &&
           thread_of(cell) != thread && (cell >> 1 & 15 & mask) != 0;
  }

  struct Free {
    void operator()(Word* words) const { std::free(words); }
  };
  std::size_t count_ = 0;
  std::unique_ptr<Word[], Free> words_;  // zeros, which take no room before they are touched
  static constexpr const char* touched_under_way = "touched while a copy is under way";
  /// The word, with nothing left of another block.
  Word& fresh(std::size_t index);
  /// Keeps the read `me` of the thread, in the place of one that tells no more.
  void note_reader(Word& word, Cell me, int thread) const {
    if (word.readers[0] == me) return;
    const bool replaces =
        thread_of(word.readers[0]) == thread || !unordered(word.readers[0], thread, 15);
    word.readers[replaces ? 0 : 1] = me;
  }
  /// What is older than the oldest clock that the warp knows of anybody is in order before all of
  /// its lanes, whoever did it.
  void find_oldest(int warp);
  void unit_acts();     // cells of its clock stand in words from now on
  void tick(int warp);  // what the warp does now is later than what it did
  void begin_clocks(Clock first);
  /// Forgets all accesses, so that clocks begin anew.
  void start_over();
  void forget_fences();
  /// Whether the unit sees that write when it works on behalf of `thread`.
  bool is_fenced(Cell write, int thread) const;
  /// begin_unit(), by what is ordered before and what the unit sees.
  template <class Unordered, class Fenced>
  std::optional<Conflict> begin_unit_if(std::size_t offset, int thread, bool writes,
                                        const Unordered& is_unordered, const Fenced& is_seen);

  int warps_ = 0;
  Clock block_ = 0;                              // when this block began
  std::array<Clock, most_warps + 1> now_{};      // of each warp
  Clocks published_{};                           // what thread_fence() has ordered
  std::array<Clocks, most_warps + 1> seen_{};    // what each warp knows of each
  std::array<Cell, most_warps> oldest_{};        // cells below are ordered, see find_oldest()
  bool unit_acts_ = false;                       // in this block
  std::array<Clocks, most_warps + 1> fenced_{};  // and of its writes that the unit sees
  std::vector<std::vector<Clock>> own_fences_ =
      std::vector<std::vector<Clock>>(std::size_t{32} * most_warps);  // of each thread
  bool fenced_threads_ = false;                                       // some have own_fences_
  bool fences_ = false;      // there were some since the last barrier of the block
  std::uint32_t epoch_ = 0;  // counts begin_block() and start_over()
};

}  // namespace ridgeline::emulated
