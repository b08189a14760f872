#pragma once

#include <cstdint>
#include <string>

namespace ridgeline::device::nvml {

/// Why a GPU's clocks are not at their highest, as nvidia-smi names it.
struct Throttle {
  std::string reasons;  // comma-separated; empty when there is none
  /// The clocks were taken away from below: heat, or the board's power supply. Samples taken
  /// meanwhile say nothing about the kernel. Reaching the power limit does: it is how a heavy
  /// kernel runs on this GPU.
  bool by_hardware = false;
};

/// The reason that every GPU at rest has, which says nothing.
inline constexpr std::uint64_t gpu_idle = 0x001;

/// Reads NVML's mask of clocks event reasons. Unknown bits are named by their value.
Throttle read_throttle(std::uint64_t mask);

}  // namespace ridgeline::device::nvml
