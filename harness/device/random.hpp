#pragma once

#include <cstdint>

#include "harness/base/e4m3.hpp"
#include "harness/base/host_device.hpp"

namespace ridgeline::device {

/// Distribution of input values: uniform in [-1, 1), or all zeros (which raises clocks on a
/// power-limited GPU); or, for kernels whose steps depend on values, uniform with magnitudes that
/// magnitude() says; or the same without their signs, for sums that only grow. Integers are uniform
/// or zeros.
enum class Distribution { uniform, zeros, growing, falling, outliers, low_first, positive };

/// 64 random bits for element `index` of stream `seed`: the SplitMix64 finaliser over a Weyl
/// sequence (Steele, Lea and Flood, OOPSLA 2014). Counter-based, so host and device make any
/// element without making those before it.
RIDGELINE_HOST_DEVICE inline std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed * 0xD1342543DE82EF95ull + (index + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

/// Uniform in [-1, 1) in steps of 2^-23, all mantissa bits random: values with few bits set would
/// draw less power. 16-bit types hold the nearest value (ties to even), see base/half.hpp, so host
/// and device inputs agree bit for bit.
RIDGELINE_HOST_DEVICE inline float random_uniform(std::uint64_t seed, std::uint64_t index) {
  return static_cast<float>(static_cast<std::int32_t>(random_bits(seed, index) >> 40) - (1 << 23)) *
         0x1p-23f;
}

/// Uniform in [-1, 1) in steps of 2^-52.
RIDGELINE_HOST_DEVICE inline double random_uniform_f64(std::uint64_t seed, std::uint64_t index) {
  return static_cast<double>(static_cast<std::int64_t>(random_bits(seed, index) >> 11) -
                             (std::int64_t{1} << 52)) *
         0x1p-52;
}

/// How many elements it takes a magnitude to grow or fall before it begins anew: a matrix of 2048 x
/// 128, when it begins at a multiple of them.
inline constexpr std::uint64_t magnitude_period = std::uint64_t{1} << 18;

/// What a uniform element is multiplied by: of `growing` nearly 0 to 16 along a period, of
/// `falling` the same backwards, of `outliers` 32 for one element in 512, of `low_first` 1 in the
/// first sixteenth of a period and 16 in the rest.
RIDGELINE_HOST_DEVICE inline float magnitude(Distribution distribution, std::uint64_t seed,
                                             std::uint64_t index) {
  const std::uint64_t place = index % magnitude_period;
  constexpr float step = 16.0f / static_cast<float>(magnitude_period);
  switch (distribution) {
    case Distribution::growing:
      return static_cast<float>(place + 1) * step;
    case Distribution::falling:
      return static_cast<float>(magnitude_period - place) * step;
    case Distribution::outliers:  // by other bits than those of the element
      return random_bits(seed, index) % 512 == 0 ? 32.0f : 1.0f;
    case Distribution::low_first:
      return place < magnitude_period / 16 ? 1.0f : 16.0f;
    default:
      return 1;
  }
}

/// `value` as the distribution has its sign.
template <class Real>
RIDGELINE_HOST_DEVICE inline Real with_sign(Distribution distribution, Real value) {
  return distribution == Distribution::positive && value < 0 ? -value : value;
}

/// A float of any distribution, and a double.
RIDGELINE_HOST_DEVICE inline float random_float(Distribution distribution, std::uint64_t seed,
                                                std::uint64_t index) {
  if (distribution == Distribution::zeros) return 0;
  return with_sign(distribution,
                   random_uniform(seed, index) * magnitude(distribution, seed, index));
}
RIDGELINE_HOST_DEVICE inline double random_double(Distribution distribution, std::uint64_t seed,
                                                  std::uint64_t index) {
  if (distribution == Distribution::zeros) return 0;
  return with_sign(distribution, random_uniform_f64(seed, index) *
                                     static_cast<double>(magnitude(distribution, seed, index)));
}

/// A number of e4m3, as its bits. That format has its numbers where those of networks are, around
/// 0: so they are about normal, the sum of four uniform ones (Irwin and Hall), with a standard
/// deviation of 128 and the largest 443, as if all had been scaled to what e4m3 holds. Magnitudes
/// beyond 1 saturate.
RIDGELINE_HOST_DEVICE inline std::uint8_t random_e4m3(Distribution distribution, std::uint64_t seed,
                                                      std::uint64_t index) {
  if (distribution == Distribution::zeros) return 0;
  const std::uint64_t bits = random_bits(seed, index);
  const auto sum = static_cast<std::int32_t>((bits & 0xFFFF) + (bits >> 16 & 0xFFFF) +
                                             (bits >> 32 & 0xFFFF) + (bits >> 48));
  constexpr int middle = 2 * 0xFFFF;
  constexpr float step = 1.7320508f * 128 / 0x1p16f;  // a uniform one deviates by 2^16 / sqrt(12)
  return to_e4m3(with_sign(distribution, static_cast<float>(sum - middle) * step *
                                             magnitude(distribution, seed, index)));
}

/// Integers are uniform over all values of their type.
RIDGELINE_HOST_DEVICE inline std::int32_t random_i32(std::uint64_t seed, std::uint64_t index) {
  return static_cast<std::int32_t>(random_bits(seed, index) >> 32);
}
RIDGELINE_HOST_DEVICE inline std::uint8_t random_u8(std::uint64_t seed, std::uint64_t index) {
  return static_cast<std::uint8_t>(random_bits(seed, index) >> 56);
}

}  // namespace ridgeline::device
