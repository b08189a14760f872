#pragma once

#include <bit>
#include <cstdint>

namespace ridgeline {

/// 16-bit floating-point formats as their bits, for hosts without hardware types. Rounding is to
/// nearest, ties to even. bf16 is the upper half of an IEEE binary32; f16 is IEEE binary16,
/// subnormals included.
std::uint16_t to_bf16(float value);
float from_bf16(std::uint16_t bits);
std::uint16_t to_f16(float value);
float from_f16(std::uint16_t bits);

}  // namespace ridgeline
