#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "harness/emulated/lanes.hpp"

namespace ridgeline::emulated {

/// Copies of 16 bytes to shared memory that lanes have started and not waited for.
class Copies {
 public:
  explicit Copies(Lanes& lanes) : lanes_(lanes) {}

  void begin_block() {
    if (!std::exchange(used_, false)) return;
    for (OfLane& lane : of_lanes_) {
      lane.under_way.clear();
      lane.groups.clear();
      lane.bytes = lane.most_bytes = 0;
    }
  }
  /// Notes what was never waited for.
  void end_block(Findings& findings) {
    for (const Lane& lane : used_ ? lanes_.all() : std::span<Lane>())
      for (const Copy& copy : of_lanes_[lane.thread].under_way)
        findings.add("copy never waited for", copy.pc, lane.thread, -1, "to shared memory");
  }
  /// From global memory: the most that was under way at once, summed over the warp's lanes.
  std::uint64_t most_bytes(int warp) const {
    std::uint64_t sum = 0;
    for (const Lane& lane : used_ ? lanes_.of_warp(warp) : std::span<Lane>()) sum += of_lanes_[lane.thread].most_bytes;
    return sum;
  }

  // ---- of the lane that runs

  /// `from` null: of zeros.
  void begin(void* to, const void* from, std::uint32_t pc) {
    used_ = true;
    mine().under_way.push_back({to, from, pc});
    if (from == nullptr) return;
    mine().bytes += 16;
    mine().most_bytes = std::max(mine().most_bytes, mine().bytes);
  }
  void commit() {
    used_ = true;
    mine().groups.push_back(mine().under_way.size());
  }
  void wait(int groups, std::uint32_t pc) {
    OfLane& copies = mine();
    const int ended = static_cast<int>(copies.groups.size()) - groups;
    if (ended <= 0) return;
    const std::size_t count = copies.groups[static_cast<std::size_t>(ended) - 1];
    for (std::size_t i = 0; i < count; ++i) {
      const Copy copy = copies.under_way[i];
      if (copy.from != nullptr) {
        std::memcpy(copy.to, copy.from, 16);
        copies.bytes -= 16;
      } else {
        std::memset(copy.to, 0, 16);
      }
      lanes_.log(reinterpret_cast<std::uint64_t>(copy.to), pc, Act::copy_end, 16);
    }
    copies.under_way.erase(copies.under_way.begin(), copies.under_way.begin() + static_cast<std::ptrdiff_t>(count));
    copies.groups.erase(copies.groups.begin(), copies.groups.begin() + ended);
    for (std::size_t& end : copies.groups) end -= count;
  }

 private:
  struct Copy {
    void* to;
    const void* from;
    std::uint32_t pc;
  };
  struct OfLane {
    std::vector<Copy> under_way;
    std::vector<std::size_t> groups;          // ends of those that are committed, in under_way
    std::uint64_t bytes = 0, most_bytes = 0;  // from global memory: under way now, and at most so far
  };
  OfLane& mine() { return of_lanes_[lanes_.running().thread]; }

  Lanes& lanes_;
  std::vector<OfLane> of_lanes_ = std::vector<OfLane>(most_threads);
  bool used_ = false;  // in this block
};

}  // namespace ridgeline::emulated
