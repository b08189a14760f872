#pragma once

#include <cstdint>

#include "harness/base/dtype.hpp"
#include "harness/device/random_element.hpp"

namespace ridgeline::kernels {

/// One input as an oracle on a device reads it: element i is what Device::fill gives element
/// first + i of stream `seed`, rounded to `dtype`. It is made again from that, so that the oracle
/// sees neither a variant's inputs nor its outputs.
struct Elements {
  DType dtype = DType::f32;  // f32, tf32, f16, bf16 or e4m3
  device::Distribution distribution = device::Distribution::uniform;
  std::uint64_t seed = 0, first = 0;
  const float* given = nullptr;  // or these, rounded already, in device memory: what tests choose
  // Of a matrix whose columns are stored one after the other: its extents. Element i counts row by
  // row all the same.
  struct {
    std::int64_t rows = 0, columns = 0;
  } by_columns = {};
  float scale = 1;  // what each is multiplied by, without rounding
};

}  // namespace ridgeline::kernels
