#pragma once

#include <cstdint>
#include <optional>

// What an access pattern moves, from its addresses alone. A GPU moves sectors of 32 bytes for each
// request of a warp, a CPU lines of 64 bytes.
namespace ridgeline::kernels {

struct Traffic {
  std::optional<double> sectors_per_request;  // GPU: of the access that the pattern is about
  double moved_bytes = 0;                     // read and written together
};

inline constexpr int sector = 32, line = 64, lanes_of_a_warp = 32;

/// Distinct `unit`-byte pieces of memory that `count` accesses of `width` bytes touch, `stride`
/// bytes apart (at least `width`) from byte `first` on; of one access at least its own pieces when
/// the next one lies in another.
constexpr std::int64_t pieces(std::int64_t first, std::int64_t stride, int width,
                              std::int64_t count, int unit) {
  std::int64_t touched = 0, next_free = -1;
  if (stride <= unit)
    return count == 0 ? 0 : (first + (count - 1) * stride + width - 1) / unit - first / unit + 1;
  // Beyond a few thousand accesses the pattern has repeated: all of them are in proportion.
  const std::int64_t some = count < 4096 ? count : 4096;
  for (std::int64_t i = 0; i < some; ++i) {
    const std::int64_t begin = (first + i * stride) / unit,
                       end = (first + i * stride + width - 1) / unit;
    touched += end - (begin > next_free ? begin - 1 : next_free);
    next_free = end;
  }
  return some == count ? touched : touched * (count / some);
}

/// Sectors of one request in which lane i of a warp accesses `width` bytes at first + i * stride.
constexpr int sectors_of_warp(std::int64_t first, std::int64_t stride, int width) {
  return static_cast<int>(pieces(first, stride, width, lanes_of_a_warp, sector));
}

/// A CPU's lines come in once to be read, and both in and out to be written: an ordinary store
/// fetches its line first.
constexpr double cpu_bytes(std::int64_t lines_read, std::int64_t lines_written) {
  return static_cast<double>(line) * static_cast<double>(lines_read + 2 * lines_written);
}

}  // namespace ridgeline::kernels
