#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "harness/emulated/log.hpp"
#include "harness/emulated/paths.hpp"

namespace ridgeline::emulated {

/// The part of a lane's log that is not aligned yet.
struct LaneLog {
  const Entry* next = nullptr;
  const Entry* end = nullptr;
  std::uint8_t lane = 0;  // in its warp
  bool goes_on = false;   // the lane stopped because its log was full: what comes behind `end` is
                          // not known yet
  bool waits = false;     // for another warp or a copy, and may come to a collective later
  const Entry* begin = nullptr;  // of what has been used and can still be looked at
};

/// Lanes of a warp that access memory together. All lanes have the same act, pc and size.
struct Request {
  std::uint32_t pc = 0;
  Act act = Act::read;
  int bytes = 0;  // of a lane
  int count = 0;  // of active lanes
  std::array<std::uint64_t, 32> addresses;
  std::array<std::uint8_t, 32> lanes;    // ascending
  std::array<std::uint16_t, 32> stored;  // of stores, and of pieces of objects: see log.hpp
  std::span<const LaneLog> logs;         // what the warp's lanes have done behind it, by lane

  std::span<const std::uint64_t> active_addresses() const {
    return {addresses.data(), static_cast<std::size_t>(count)};
  }
  std::span<const std::uint8_t> active_lanes() const {
    return {lanes.data(), static_cast<std::size_t>(count)};
  }
  /// Whether the lanes' bytes lie side by side, in the order of the lanes.
  bool is_row() const {
    std::uint64_t elsewhere = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
      elsewhere |= addresses[i] ^ (addresses[0] + i * static_cast<std::uint64_t>(bytes));
    return elsewhere == 0;
  }
  /// In which bits the lanes' addresses differ.
  std::uint64_t spread() const {
    std::uint64_t differ = 0;
    for (std::size_t i = 1; i < static_cast<std::size_t>(count); ++i)
      differ |= addresses[i] ^ addresses[0];
    return differ;
  }
  /// Of a store: lanes before number `i` that store the same value to the same place, a bit each.
  std::uint32_t with(std::size_t i) const {
    std::uint32_t found = 0;
    for (std::size_t other = 0; other < i; ++other)
      if (addresses[other] == addresses[i] && sum_of(stored[other]) == sum_of(stored[i]))
        found |= 1u << lanes[other];
    return found;
  }
  /// Of the store number `i`: whether lane `other` has stored the same value there last, by
  /// whatever instruction. It may have done so later, since lanes run one after the other.
  bool stored_by(std::size_t i, std::size_t other) const;
  std::uint64_t bytes_of_all() const {
    return static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(bytes);
  }
  /// Of a row: behind its last byte.
  std::uint64_t row_end() const { return addresses[0] + bytes_of_all(); }
};

/// Takes what the aligned logs say, in the order of the program.
class Warp {
 public:
  virtual ~Warp() = default;
  virtual void request(const Request& request) = 0;
  virtual void barrier() = 0;  // __syncwarp()
  virtual void collective() {}
  virtual void event() {}  // the warp's next event of the asynchronous unit
};

/// Turns the logs of a warp's lanes into requests, and moves each log's `next` behind what was
/// used. Of the lanes' next accesses those that the program reaches first go together, so that
/// lanes that took different ways meet again behind the branch or the loop. A barrier or collective
/// waits for all lanes of its mask. Stops where a log that goes on has been used up, or all that is
/// left waits for lanes that wait.
void align(std::span<LaneLog> logs, const Paths& paths, Warp& warp);

}  // namespace ridgeline::emulated
