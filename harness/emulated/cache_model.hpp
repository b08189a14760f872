#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace ridgeline::emulated {

inline constexpr std::uint64_t line_bytes = 128;

/// Sectors of a 128-byte line of global memory that a warp touches together.
struct LineTouch {
  static constexpr std::uint64_t reads = 16, writes = 32;

  std::uint64_t bits = 0;  // the line's number, then 8 bits: the mask of its sectors, whether they
                           // are read and written

  static LineTouch of(std::uint64_t address, std::uint64_t kind) {
    return {address / line_bytes << 8 | kind | std::uint64_t{1} << address % line_bytes / 32};
  }
  std::uint64_t line() const { return bits >> 8; }
  unsigned sectors() const { return bits & 15; }
};

/// Lines that a block touches, in the order in which its warps come: between two barriers that of
/// their numbers, whatever the order in which they have run.
class TouchedLines {
 public:
  void begin_launch() { *this = {}; }
  /// What follows on the same line in the same way joins it. `kind`: LineTouch::reads,
  /// LineTouch::writes or both.
  void touch(int warp, std::uint64_t address, std::uint64_t kind) {
    std::vector<LineTouch>& touched = of_warp_[warp];
    const LineTouch touch = LineTouch::of(address, kind);
    if (!touched.empty() && (touch.bits ^ touched.back().bits) < 16)
      touched.back().bits |= touch.bits;
    else
      touched.push_back(touch);
  }
  /// At a barrier of the block of that many warps, or its end.
  void order(int warps) {
    for (std::vector<LineTouch>& touched :
         std::span(of_warp_).first(static_cast<std::size_t>(warps))) {
      ordered_.insert(ordered_.end(), touched.begin(), touched.end());
      touched.clear();
    }
  }
  std::vector<LineTouch> take() { return std::exchange(ordered_, {}); }

 private:
  std::vector<LineTouch> ordered_;
  std::vector<LineTouch> of_warp_[32];  // since the last barrier
};

/// What a level-2 cache and the DRAM behind it do in one launch: lines of 128 bytes in sectors of
/// 32; a sector that is read and not there is fetched with its neighbour, 64 bytes from a multiple
/// of 64 (what an H100 does: reading one sector of every 64 or 128 bytes moves as much as reading
/// two); the line that was not used for the longest time makes room (any line may lie anywhere); a
/// sector that was written goes to DRAM when its line makes room, or at the end of the launch,
/// without having been fetched; atomics read and write. It is empty when a launch begins. Takes
/// blocks in the order of their numbers, whatever the order in which they have run.
class CacheModel {
 public:
  struct Traffic {
    std::uint64_t read_bytes = 0, written_bytes = 0;  // of DRAM
  };

  explicit CacheModel(std::size_t bytes);

  /// What block number `block` touched, in its order. Any OS thread may call it, once per block.
  void take_block(std::uint64_t block, std::vector<LineTouch> touched);
  /// Of the blocks since the last call. Empties the cache.
  Traffic end_launch();

 private:
  using Index = std::uint32_t;  // of a line that is held; 0 is none, and the head of the list
  struct Line {
    std::uint64_t number = 0;
    Index newer = 0, older = 0;
    std::uint8_t valid = 0, dirty = 0;  // sectors
  };
  struct Free {
    void operator()(Index* table) const { std::free(table); }
  };

  void touch(LineTouch touch);
  Index& held(std::uint64_t line);
  void unlink(Index index);
  void make_newest(Index index);
  void write_back(Line& line);

  const std::size_t most_lines_;
  std::vector<Line> lines_;
  std::map<std::uint64_t, std::unique_ptr<Index[], Free>> tables_;  // of each allocation: where its
                                                                    // lines are held
  std::uint64_t last_slot_ = 0;
  Index* last_table_ = nullptr;
  Traffic traffic_;

  std::mutex together_;
  std::uint64_t next_block_ = 0;
  std::map<std::uint64_t, std::vector<LineTouch>> early_;  // blocks that wait for one with a lower
                                                           // number
};

}  // namespace ridgeline::emulated
