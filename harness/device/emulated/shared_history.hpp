#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/device/emulated/log.hpp"

namespace ridgeline::device::emulated {

/// Who touched each word of a block's shared memory last, and when: finds races by happens-before. Warps have vector
/// clocks; __syncthreads() orders all threads, __syncwarp() those of a warp, and nothing else does. Two writers and two
/// readers are kept a word, so a race with an older one can be missed; none is invented.
class SharedHistory {
 public:
  static constexpr int most_warps = 32;

  struct Conflict {
    const char* what;  // "race (read after write)", or another order
    int other;         // thread of the earlier access
  };

  explicit SharedHistory(std::size_t bytes);

  /// Forgets the last block.
  void begin_block(int warps);
  void block_barrier();
  void warp_barrier(int warp);
  /// Notes an access of 1 to 16 bytes, aligned to its size, and returns what it races with. Words that a copy is on its
  /// way to may not be touched by anybody.
  std::optional<Conflict> access(std::size_t offset, int bytes, Act act, int thread);
  /// Whether every byte has been written in this block.
  bool written(std::size_t offset, int bytes) const;

 private:
  // clock: 16 bits, thread: 10, bytes of the word: 4, atomic: 1
  using Cell = std::uint32_t;
  struct Word {
    Cell writers[2] = {}, readers[2] = {};
    std::uint16_t since = 0;   // clock of the block that the rest is of
    std::uint8_t written = 0;  // bytes
    std::uint16_t copier = 0;  // thread + 1 of the copy that is under way
  };
  using Clock = std::uint16_t;

  static int thread_of(Cell cell) { return static_cast<int>(cell >> 5 & 1023); }
  static Clock clock_of(Cell cell) { return static_cast<Clock>(cell >> 16); }
  static bool is_atomic(Cell cell) { return (cell & 1) != 0; }
  /// Of another thread, on a byte of `mask`, and not ordered before `thread`.
  bool unordered(Cell cell, int thread, std::uint32_t mask) const {
    return cell != 0 &&
           clock_of(cell) >=
               seen_[static_cast<std::size_t>(thread / 32)][static_cast<std::size_t>(thread_of(cell) / 32)] &&
           thread_of(cell) != thread && (cell >> 1 & 15 & mask) != 0;
  }

  std::vector<Word> words_;
  int warps_ = 0;
  Clock block_ = 0;                                               // when this block began
  std::array<Clock, most_warps> now_{};                           // of each warp
  std::array<std::array<Clock, most_warps>, most_warps> seen_{};  // what each warp knows of each
};

}  // namespace ridgeline::device::emulated
