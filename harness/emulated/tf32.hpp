#pragma once

#include <cstdint>

namespace ridgeline::emulated {

/// A float without the 13 bits that tf32 does not have, rounded to nearest, ties away from zero; of
/// a NaN the one that has all bits but its sign (PTX ISA, "cvt").
[[gnu::always_inline]] inline std::uint32_t tf32_of(float value) {
  const auto bits = __builtin_bit_cast(std::uint32_t, value);
  return (bits & 0x7FFFFFFFu) > 0x7F800000u ? 0x7FFFFFFFu : (bits + 0x1000u) & 0xFFFFE000u;
}

}  // namespace ridgeline::emulated
