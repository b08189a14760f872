#pragma once

#include <cstdint>

#include "harness/device/kernel.hpp"
#include "harness/device/random.hpp"

namespace ridgeline::kernels::on_cuda {

/// The order of [0, count) that permutation.hpp defines, written for the oracles of devices alone.
/// With 2^bits the least power of two that is not below `count`: three times, an index is
/// multiplied by an odd number and added to, modulo 2^bits, and its upper half is xored into its
/// lower half; all of it again until it is below `count`.
struct Order {
  Order(std::uint64_t count, std::uint64_t seed) : count(count), seed(seed) {
    while ((std::uint64_t{1} << bits) < count) ++bits;
  }
  __device__ std::uint64_t operator()(std::uint64_t index) const {
    const std::uint64_t size = std::uint64_t{1} << bits;
    const int upper_half = bits < 4 ? 1 : bits / 2;
    do {
      for (std::uint64_t number = 0; number < 6; number += 2) {
        index *= device::random_bits(seed, number) | 1;
        index += device::random_bits(seed, number + 1);
        index %= size;
        index ^= index >> upper_half;
      }
    } while (index >= count);
    return index;
  }

  std::uint64_t count, seed;
  int bits = 0;
};

}  // namespace ridgeline::kernels::on_cuda
