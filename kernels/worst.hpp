#pragma once

#include <cstdint>

#include "harness/device/random.hpp"

namespace ridgeline::kernels {

/// The element of an output that is furthest beyond what is tolerated, or closest to it: its error,
/// its tolerance, and which one it is.
struct Worst {
  double error = 0, tolerance = 0;
  std::int64_t index = -1;  // none
};

/// Whether `one` is worse than `other`: any before none, NaN before all others, what is wrong
/// before what is right, and otherwise the larger quotient of error and tolerance. Quotients are
/// compared without dividing, since tolerances may be 0.
RIDGELINE_HOST_DEVICE inline bool worse(const Worst& one, const Worst& other) {
  if (one.index < 0 || other.index < 0) return one.index >= 0 && other.index < 0;
  if (other.error != other.error) return false;
  if (one.error != one.error) return true;
  const bool wrong = !(one.error <= one.tolerance), other_wrong = !(other.error <= other.tolerance);
  if (wrong != other_wrong) return wrong;
  return one.error * other.tolerance > other.error * one.tolerance;
}

/// Blocks, and partials, of a comparison of `count` elements on a device: each finds the worst of
/// its own.
inline constexpr std::int64_t worst_threads = 256;
constexpr std::int64_t worst_blocks(std::int64_t count) {
  const std::int64_t blocks = (count + worst_threads - 1) / worst_threads;
  return blocks < 512 ? blocks : 512;
}

}  // namespace ridgeline::kernels
