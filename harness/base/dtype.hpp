#pragma once

#include <cstddef>
#include <string_view>

namespace ridgeline {

/// Element types that problems are stated in. `tf32` is stored as 32-bit floats and multiplied by
/// tensor cores with a 10-bit mantissa.
enum class DType { f64, f32, tf32, f16, bf16, i32, u8 };

std::size_t size_of(DType dtype);  // bytes of one stored element
std::string_view to_string(DType dtype);

/// Unit roundoff: half the distance between 1 and the next larger number, e.g. 2^-24 for f32. 0 for
/// integers.
double unit_roundoff(DType dtype);

}  // namespace ridgeline
