#pragma once

#include <cstdint>

#include "harness/base/dtype.hpp"
#include "harness/base/host_device.hpp"
#include "harness/device/random.hpp"

namespace ridgeline::collectives {

/// Ranks whose sums of inputs are exact.
inline constexpr int most_exact_ranks = 16;

/// Bits of an input, its sign included: so few that a type holds every sum of most_exact_ranks of
/// them, and of some of them, as it is. With n ranks, a power of two, that holds for their n-th
/// parts as well, of which libraries make averages.
RIDGELINE_HOST_DEVICE constexpr int input_bits(DType dtype) {
  return dtype == DType::f32 ? 21 : dtype == DType::f16 ? 8 : dtype == DType::bf16 ? 5 : 4;
}

/// What all ranks send, as one stream: whole numbers, so that a reduction has the same bits in
/// whatever order.
struct Inputs {
  std::uint64_t seed = 0;
  bool zeros = false;

  RIDGELINE_HOST_DEVICE std::int32_t operator()(DType dtype, std::uint64_t index) const {
    if (zeros) return 0;
    const auto bits = static_cast<std::int64_t>(device::random_bits(seed, index));
    return static_cast<std::int32_t>(bits >> (64 - input_bits(dtype)));
  }
};

}  // namespace ridgeline::collectives
