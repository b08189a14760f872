#include "harness/base/half.hpp"

#include <cmath>

namespace ridgeline {

std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16) | 0x40);
  const std::uint32_t to_even = 0x7FFF + ((bits >> 16) & 1);
  return static_cast<std::uint16_t>((bits + to_even) >> 16);
}

float from_bf16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t to_f16(float value) {
  const auto sign =
      static_cast<std::uint16_t>((std::bit_cast<std::uint32_t>(value) >> 16) & 0x8000);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7E00);
  const float magnitude = std::fabs(value);
  if (magnitude >= 65520.0f)
    return static_cast<std::uint16_t>(sign | 0x7C00);  // rounds beyond the largest finite
  // Below 2^-14 the spacing is 2^-24; above, adding half a step and the parity bit rounds to even.
  if (magnitude < 0x1p-14f)
    return static_cast<std::uint16_t>(
        sign | static_cast<std::uint16_t>(std::nearbyint(magnitude * 0x1p24f)));
  const auto bits = std::bit_cast<std::uint32_t>(magnitude);
  const std::uint32_t rounded = bits + 0xFFF + ((bits >> 13) & 1);
  return static_cast<std::uint16_t>(sign | ((rounded >> 13) - (112u << 10)));
}

float from_f16(std::uint16_t bits) {
  const float sign = (bits & 0x8000) != 0 ? -1.0f : 1.0f;
  const int exponent = (bits >> 10) & 0x1F;
  const int mantissa = bits & 0x3FF;
  if (exponent == 0x1F) return mantissa == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * static_cast<float>(mantissa) * 0x1p-24f;
  return sign * std::ldexp(static_cast<float>(1024 + mantissa), exponent - 25);
}

}  // namespace ridgeline
