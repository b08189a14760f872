#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define RIDGELINE_HOST_DEVICE __host__ __device__
#else
#define RIDGELINE_HOST_DEVICE
#endif

namespace ridgeline::device {

/// Distribution of input values: uniform in [-1, 1), or all zeros (which raises clocks on a
/// power-limited GPU).
enum class Distribution { uniform, zeros };

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

/// Integers are uniform over all values of their type.
RIDGELINE_HOST_DEVICE inline std::int32_t random_i32(std::uint64_t seed, std::uint64_t index) {
  return static_cast<std::int32_t>(random_bits(seed, index) >> 32);
}
RIDGELINE_HOST_DEVICE inline std::uint8_t random_u8(std::uint64_t seed, std::uint64_t index) {
  return static_cast<std::uint8_t>(random_bits(seed, index) >> 56);
}

}  // namespace ridgeline::device
