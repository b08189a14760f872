#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "harness/emulated/groups.hpp"
#include "harness/emulated/lanes.hpp"

namespace ridgeline::emulated {

/// Copies of 4 or 16 bytes to shared memory that lanes have started and not waited for.
class Copies {
 public:
  /// `changed(source, pc)` is told of a copy whose source was overwritten while it was under way.
  Copies(Lanes& lanes, std::function<void(const void*, std::uint32_t)> changed)
      : lanes_(lanes), changed_(std::move(changed)) {}

  void begin_block() {
    if (!std::exchange(used_, false)) return;
    for (OfLane& lane : of_lanes_) {
      lane.started.under_way.clear();
      lane.started.ends.clear();
      lane.bytes = lane.most_bytes = 0;
    }
  }
  /// Notes what was never waited for.
  void end_block(Findings& findings) {
    for (const Lane& lane : used_ ? lanes_.all() : std::span<Lane>())
      for (const Copy& copy : of_lanes_[lane.thread].started.under_way)
        findings.add("copy never waited for", copy.pc, lane.thread, -1, "to shared memory");
  }
  /// From global memory: the most that was under way at once, summed over the warp's lanes.
  std::uint64_t most_bytes(int warp) const {
    std::uint64_t sum = 0;
    for (const Lane& lane : used_ ? lanes_.of_warp(warp) : std::span<Lane>())
      sum += of_lanes_[lane.thread].most_bytes;
    return sum;
  }

  // ---- of the lane that runs

  /// `from` null: of zeros.
  void begin(void* to, const void* from, int bytes, std::uint32_t pc) {
    used_ = true;
    Copy copy{to, from, pc, bytes};
    if (from != nullptr) std::memcpy(copy.source, from, static_cast<std::size_t>(bytes));
    mine().started.under_way.push_back(copy);
    if (from == nullptr) return;
    mine().bytes += static_cast<std::uint64_t>(bytes);
    mine().most_bytes = std::max(mine().most_bytes, mine().bytes);
  }
  void commit() {
    used_ = true;
    mine().started.commit();
  }
  void wait(int groups, std::uint32_t pc) {
    mine().started.wait(groups, [&](const Copy copy) {
      const auto bytes = static_cast<std::size_t>(copy.bytes);
      if (copy.from != nullptr) {
        if (std::memcmp(copy.source, copy.from, bytes) != 0) changed_(copy.from, copy.pc);
        std::memcpy(copy.to, copy.from, bytes);
        mine().bytes -= bytes;
      } else {
        std::memset(copy.to, 0, bytes);
      }
      lanes_.log(reinterpret_cast<std::uint64_t>(copy.to), pc, Act::copy_end, copy.bytes);
    });
  }

 private:
  struct Copy {
    void* to;
    const void* from;
    std::uint32_t pc;
    int bytes;
    std::byte source[16] = {};  // when it began
  };
  struct OfLane {
    Groups<Copy> started;
    // From global memory: under way now, and at most so far.
    std::uint64_t bytes = 0, most_bytes = 0;
  };
  OfLane& mine() { return of_lanes_[lanes_.running().thread]; }

  Lanes& lanes_;
  const std::function<void(const void*, std::uint32_t)> changed_;
  std::vector<OfLane> of_lanes_ = std::vector<OfLane>(most_threads);
  bool used_ = false;  // in this block
};

}  // namespace ridgeline::emulated
