#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/emulated/shared_history.hpp"

namespace ridgeline::emulated {

/// Finds lanes of one warp that exchange data by volatile accesses to shared memory as if they were
/// in step, which they are not since compute capability 7.0. Flags are volatile, too, and nobody
/// needs to be in step who waits for one: told is only what nobody can have waited for. Whatever
/// brings lanes of the warp together, or is a fence, orders what they do.
class WarpExchange {
 public:
  void begin_block() { order_all(); }
  void order(int warp) { since_[static_cast<std::size_t>(warp)] = ++now_; }
  void order_all() { since_.fill(++now_); }

  /// Of 1 to 16 bytes, aligned to their size; `polls`: the load is repeated until it reads what it
  /// waits for.
  std::optional<SharedHistory::Conflict> read(std::size_t offset, int bytes, int thread,
                                              bool polls);
  /// `no_flag_for`: lanes for which it is none, because they store elsewhere by the same
  /// instruction, or because nobody has written there before.
  std::optional<SharedHistory::Conflict> write(std::size_t offset, int bytes, int thread,
                                               std::uint32_t no_flag_for);

 private:
  /// Lanes of a warp that have read or written a word at a moment, 0 for never.
  struct Touched {
    std::uint64_t at = 0;
    std::uint32_t lanes = 0;
    std::uint8_t warp = 0, bytes = 0;  // of the word, a bit each
  };
  struct Word {
    Touched written, read;
    std::uint32_t no_flag_for = 0;  // what was written
  };
  Word& word(std::size_t index);
  /// The other lanes of the thread's warp that have touched some of the same bytes, where nothing
  /// has ordered that.
  std::uint32_t unordered(const Touched& touched, std::uint32_t bytes, int thread) const {
    const bool is_of_warp = touched.at != 0 && touched.warp == thread / 32 &&
                            touched.at >= since_[static_cast<std::size_t>(thread / 32)] &&
                            (touched.bytes & bytes) != 0;
    return is_of_warp ? touched.lanes & ~(1u << thread % 32) : 0;
  }
  void note(Touched& touched, std::uint32_t bytes, int thread, bool adds) const;

  std::uint64_t now_ = 0;
  std::array<std::uint64_t, SharedHistory::most_warps> since_{};
  std::vector<Word> words_;
};

}  // namespace ridgeline::emulated
