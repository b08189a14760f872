#pragma once

#include <cstddef>
#include <string_view>

#include "harness/base/host_device.hpp"

namespace ridgeline {

/// Element types that problems are stated in. `tf32` is stored as 32-bit floats and multiplied by
/// tensor cores with a 10-bit mantissa. `e4m3` is an 8-bit float (base/e4m3.hpp) whose products are
/// summed in f32; of `e4m3_fast`, the same numbers, sums stay in tensor cores, which keep some 14
/// bits of them.
enum class DType { f64, f32, tf32, f16, bf16, e4m3, e4m3_fast, i32, u8, i8 };

/// Whether the elements are e4m3, however they are summed.
RIDGELINE_HOST_DEVICE constexpr bool is_e4m3(DType dtype) {
  return dtype == DType::e4m3 || dtype == DType::e4m3_fast;
}

std::size_t size_of(DType dtype);  // bytes of one stored element
std::string_view to_string(DType dtype);

/// Unit roundoff: half the distance between 1 and the next larger number, e.g. 2^-24 for f32. 0 for
/// integers.
double unit_roundoff(DType dtype);

}  // namespace ridgeline
