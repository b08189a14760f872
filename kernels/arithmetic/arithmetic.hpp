#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/base/dtype.hpp"
#include "harness/device/device.hpp"
#include "harness/device/random.hpp"
#include "harness/device/support.hpp"
#include "kernels/bits.hpp"
#include "kernels/variant.hpp"

/// Multiply-adds on registers, with memory touched only at the ends.
namespace ridgeline::arithmetic {

/// One multiply-add a lane, x = -1 x + b, alternates between two additive constants: each pair of steps adds their
/// difference to x, 2^-10, in the first of each two rounds, and takes it away in the second. For x in [-1, 1) in steps
/// of 2^-23 (2^-10 for f16) every intermediate result is a multiple of that step below 2, hence exact, fused or not,
/// and yet all bits of the operands keep changing. After an odd number of rounds x has grown by pairs x 2^-10.
inline constexpr int pairs = 256;
inline constexpr double factor = -1.0, constant = 0.5, difference = 0x1p-10;

/// Takes `lanes` values x, `rounds` rounds each.
struct Problem {
  DType dtype = DType::f32;
  std::int64_t lanes = 0;
  std::int64_t rounds = 1;

  double flops() const {
    return 2.0 * 2.0 * pairs * static_cast<double>(rounds) * static_cast<double>(lanes);  // a multiply-add counts 2
  }
  double bytes() const { return static_cast<double>(lanes) * (4.0 + static_cast<double>(size_of(dtype))); }
};

/// `in` has `lanes` floats, rounded to multiples of 2^-10 when dtype is f16; `out` has `lanes` elements of dtype.
/// Device memory, aligned to 256 bytes.
struct Operands {
  const float* in = nullptr;
  void* out = nullptr;
};

struct Variant {
  std::string_view idea;
  std::vector<DType> dtypes;
  device::Support (*supports)(const Problem&, const device::Facts&);
  void (*launch)(const Problem&, const Operands&, device::Stream&);
};

kernels::Table<Variant> variants();

/// Lanes that keep every unit busy, and rounds that make one execution long against starting it.
Problem problem_for(DType dtype, const device::Facts& facts);

/// Wrong elements of `out` among those checked.
kernels::Deviation deviation(device::Device& device, const Problem& problem, const kernels::RandomFloats& in,
                             const void* out, std::uint64_t seed);

}  // namespace ridgeline::arithmetic
