#pragma once

#include <cstdint>

#include "harness/base/host_device.hpp"

namespace ridgeline {

/// The 8-bit floating-point format e4m3 as its bits: sign, 4 bits of exponent with bias 7, 3 bits
/// of mantissa; subnormals in steps of 2^-9, the largest number is 448, no infinity, and NaN where
/// all bits but the sign are set (OCP 8-bit Floating Point Specification).
inline constexpr float e4m3_largest = 448;

RIDGELINE_HOST_DEVICE inline float from_e4m3(std::uint8_t bits) {
  const std::uint32_t exponent = bits >> 3 & 15u, mantissa = bits & 7u;
  float magnitude = static_cast<float>(mantissa) * 0x1p-9f;
  if ((bits & 0x7Fu) == 0x7Fu)
    magnitude = __builtin_bit_cast(float, 0x7FC00000u);
  else if (exponent != 0)
    magnitude = __builtin_bit_cast(float, (exponent + 120) << 23 | mantissa << 20);
  return (bits & 0x80u) != 0 ? -magnitude : magnitude;
}

/// Rounds to the nearest, ties to even; what is larger than the largest number becomes that.
RIDGELINE_HOST_DEVICE inline std::uint8_t to_e4m3(float value) {
  const auto all = __builtin_bit_cast(std::uint32_t, value);
  const std::uint32_t sign = all >> 24 & 0x80u, bits = all & 0x7FFFFFFFu;
  const auto magnitude = __builtin_bit_cast(float, bits);
  std::uint32_t code = 0;
  if (bits > 0x7F800000u) {
    code = 0x7Fu;
  } else if (magnitude >= e4m3_largest) {
    code = 0x7Eu;
  } else if (magnitude < 0x1p-6f) {
    // The floats from 2^14 on are as far apart as e4m3's subnormals.
    code = __builtin_bit_cast(std::uint32_t, magnitude + 0x1p14f) -
           __builtin_bit_cast(std::uint32_t, 0x1p14f);
  } else {
    const std::uint32_t to_even = 0x7FFFFu + (bits >> 20 & 1u);
    code = ((bits + to_even) >> 20) - (120u << 3);
  }
  return static_cast<std::uint8_t>(sign | code);
}

}  // namespace ridgeline
