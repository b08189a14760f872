#pragma once

#include <cstdint>

#include "harness/base/dtype.hpp"
#include "harness/device/random.hpp"

namespace ridgeline::device {

/// The value that Device::fill gives element `index` of the stream `seed`: the oracles' way to an
/// input, without its buffer. Floating-point types are uniform in [-1, 1), or that times
/// magnitude(), or that without signs: f32 and tf32 in steps of 2^-23, f64 of 2^-52, 16-bit types
/// rounded to the nearest (so that 1 itself occurs); e4m3 as random_e4m3() says; i32, u8 and
/// i8 are uniform over all their values.
double random_element(DType dtype, Distribution distribution, std::uint64_t seed,
                      std::uint64_t index);

}  // namespace ridgeline::device
