#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/device/stream.hpp"
#include "harness/device/support.hpp"
#include "kernels/level.hpp"
#include "kernels/permutation.hpp"
#include "kernels/variant.hpp"

/// Memory latency: each load names the address of the next.
namespace ridgeline::chase {

/// `loads` dependent loads, one per line, along a random cycle through `lines` lines of
/// `line_bytes` bytes. A launch starts where its set does and stores the address where it ends.
struct Problem {
  kernels::Level level = kernels::Level::dram;
  std::int64_t lines = 1;
  std::int64_t loads = 0;
  int line_bytes = 64;

  std::size_t bytes() const {
    return static_cast<std::size_t>(lines) * static_cast<std::size_t>(line_bytes);
  }
  /// Launches that together go once around the cycle, so that rotating over them keeps lines out of
  /// nearer caches.
  std::size_t starts() const {
    return loads < 1 || lines <= loads ? 1 : static_cast<std::size_t>(lines / (loads + 1));
  }
};

/// `begin` is the address of a line; the first 8 bytes of each line hold the address of the next
/// one.
struct Operands {
  const void* begin = nullptr;
  std::uint64_t* end = nullptr;
};

struct Variant {
  std::string_view idea;
  device::Support (*supports)(const Problem&, const device::Facts&);
  void (*launch)(const Problem&, const Operands&, device::Stream&);
};

kernels::Table<Variant> variants();

/// The problem whose lines fill half of a level (or many times the last-level cache), on a device
/// with such a level; zero lines where it has none.
Problem problem_for(kernels::Level level, const device::Facts& facts);

/// A cycle through all lines in random order: line order(k) is visited k-th.
kernels::Permutation make_order(const Problem& problem, std::uint64_t seed);
/// What the lines hold when they lie at address `memory`: 8 bytes per line, the rest 0.
std::vector<std::uint64_t> make_lines(const Problem& problem, const kernels::Permutation& order,
                                      const void* memory);

/// Makes the same in device memory. Null where nothing can.
struct DeviceOracle {
  void (*write_lines)(const Problem&, std::uint64_t seed, void* memory, device::Stream&) = nullptr;
};
DeviceOracle device_oracle();

/// Writes the lines in the order of `seed` to device memory; a GPU makes them where they are
/// needed.
void write_lines(device::Device& device, const Problem& problem, std::uint64_t seed, void* memory);

/// The line of `order` at which launch `start` begins, and the one at which it ends. The next one
/// begins a line farther on.
std::uint64_t begin_of(const Problem& problem, const kernels::Permutation& order,
                       std::size_t start);
std::uint64_t end_of(const Problem& problem, const kernels::Permutation& order, std::size_t start);

}  // namespace ridgeline::chase
