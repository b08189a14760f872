#pragma once

#include <cstdint>

#include "harness/base/checked.hpp"
#include "harness/device/random_element.hpp"
#include "harness/device/stream.hpp"

// What families say of their results. How results are checked is in oracle.hpp and bits.hpp, which
// kernels do not need.
namespace ridgeline::kernels {

/// How far an output is from the oracle's, in the family's measure. A NaN is never right.
struct Deviation {
  double error = 0, tolerance = 0;
  Checked checked = Checked::sample;
  bool right() const { return error <= tolerance; }
};

/// The floats that Device::fill writes: element i is random_element(f32, distribution, seed,
/// first + i).
struct RandomFloats {
  device::Distribution distribution = device::Distribution::uniform;
  std::uint64_t seed = 0, first = 0;

  float operator()(std::int64_t i) const {
    return static_cast<float>(device::random_element(DType::f32, distribution, seed,
                                                     first + static_cast<std::uint64_t>(i)));
  }
};

}  // namespace ridgeline::kernels
