#pragma once

#include <bit>
#include <cstdint>

#include "harness/device/random.hpp"

namespace ridgeline::kernels {

/// An order of [0, count) without pattern, made index by index without a table: rounds of
/// multiplying by an odd number and xor-shifting permute the next power of two; what falls outside
/// [0, count) goes through again.
class Permutation {
 public:
  Permutation(std::uint64_t count, std::uint64_t seed)
      : count_(count),
        mask_(std::bit_ceil(count < 1 ? 1 : count) - 1),
        shift_(std::bit_width(mask_) > 3 ? std::bit_width(mask_) / 2 : 1) {
    for (std::uint64_t round = 0; round < rounds; ++round) {
      multiply_[round] = device::random_bits(seed, 2 * round) | 1;
      add_[round] = device::random_bits(seed, 2 * round + 1);
    }
  }

  RIDGELINE_HOST_DEVICE std::uint64_t operator()(std::uint64_t index) const {
    do {
      for (int round = 0; round < rounds; ++round) {
        index = (index * multiply_[round] + add_[round]) & mask_;
        index ^= index >> shift_;
      }
    } while (index >= count_);
    return index;
  }

 private:
  static constexpr int rounds = 3;
  std::uint64_t count_, mask_;
  int shift_;
  std::uint64_t multiply_[rounds], add_[rounds];
};

}  // namespace ridgeline::kernels
