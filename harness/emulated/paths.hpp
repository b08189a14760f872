#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/emulated/log.hpp"

namespace ridgeline::emulated {

/// The chains of calls through which lanes reach functions that are not inlined, each with a
/// number; 0 is the kernel. With them, lanes are ordered by where they are in the kernel first, and
/// in the functions that it calls then.
class Paths {
 public:
  /// Number of the chain that `caller` lengthens by a call that returns to `pc`; absent when there
  /// are too many.
  std::optional<std::uint16_t> enter(std::uint16_t caller, std::uint32_t pc) {
    const Known& known = known_[slot(caller, pc)];
    if (known.pc == pc && known.caller == caller) return known.path;
    return find(caller, pc);
  }
  std::uint16_t leave(std::uint16_t path) const { return nodes_[path].caller; }
  /// Whether the program reaches `a` before `b`, by call sites from the kernel down, then by pc,
  /// then by act: one instruction may read before it writes.
  bool before(const Entry& a, const Entry& b) const;

 private:
  static std::size_t slot(std::uint16_t caller, std::uint32_t pc) {
    return (pc * 2654435761u >> 20 ^ caller) % most_known;
  }
  std::optional<std::uint16_t> find(std::uint16_t caller, std::uint32_t pc);

  static constexpr std::size_t most_known = 256;
  struct Node {
    std::uint16_t caller = 0, depth = 0;
    std::uint32_t pc = 0;
  };
  std::vector<Node> nodes_{Node{}};
  struct Known {
    std::uint16_t caller = 0, path = 0;
    std::uint32_t pc = 0;
  };
  std::array<Known, most_known> known_{};  // the newest of each hash, so that most calls are found
                                           // at once
};

}  // namespace ridgeline::emulated
