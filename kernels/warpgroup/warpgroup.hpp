#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/base/dtype.hpp"
#include "harness/device/stream.hpp"
#include "harness/device/support.hpp"
#include "kernels/deviation.hpp"
#include "kernels/question.hpp"
#include "kernels/variant.hpp"

/// Matrix products of the size that a warpgroup multiplies at once, with memory touched only at the
/// ends.
namespace ridgeline::warpgroup {

inline constexpr int rows = 64, columns = 256;  // of D

/// Depth of one product: 32 bytes of elements.
constexpr int depth(DType dtype) {
  return dtype == DType::tf32 ? 8 : dtype == DType::e4m3 ? 32 : 16;
}

/// Elements of A and B are multiples of 1 / steps in [-1, 1).
constexpr int steps(DType dtype) { return dtype == DType::e4m3 ? 16 : 128; }

/// Group g of `groups` adds A_g B_g to its D and takes it away again, `rounds` times, and adds it
/// once more at the end: D = C + A_g B_g, where C is column / 64 everywhere. With such elements
/// every sum is exact, and yet all their bits carry information: sums of e4m3, which tensor cores
/// cut below 2^-13 of the largest power of two in them, are below 64 and multiples of 2^-8.
struct Problem {
  DType dtype = DType::f16;  // of A and B: f16, bf16, tf32 or e4m3; sums are f32
  std::int64_t groups = 0;
  std::int64_t rounds = 1;

  double flops() const {
    return static_cast<double>(groups) * (2.0 * static_cast<double>(rounds) + 1) * 2.0 * rows *
           columns * depth(dtype);
  }
  double bytes() const { return 4.0 * static_cast<double>(left() + right() + outputs()); }
  std::int64_t left() const { return groups * rows * depth(dtype); }      // elements of A
  std::int64_t right() const { return groups * columns * depth(dtype); }  // elements of B
  std::int64_t outputs() const { return groups * rows * columns; }
};

/// A row-major and B column-major, as floats that the kernel rounds to multiples of 1 / steps
/// (down, from [-1, 1)); D row-major. Device memory, aligned to 256 bytes.
struct Operands {
  const float* a = nullptr;
  const float* b = nullptr;
  float* d = nullptr;
};

struct Variant {
  std::string_view idea;
  std::vector<DType> dtypes;
  device::Support (*supports)(const Problem&, const device::Facts&);
  void (*launch)(const Problem&, const Operands&, device::Stream&);
};

kernels::Table<Variant> variants();

/// Groups that keep every tensor core busy, and rounds that make one execution long against
/// starting it.
Problem problem_for(DType dtype, const device::Facts& facts);

/// Asks the device's oracle about `d` for inputs `a` and `b`. Null where there is none.
using DeviceOracle = void (*)(const Problem&, const kernels::RandomFloats& a,
                              const kernels::RandomFloats& b, const kernels::Question&,
                              device::Stream&);
DeviceOracle device_oracle();

/// Wrong elements of `d` among those checked. `d` does not depend on `rounds`: that all of them are
/// done shows in the time alone (the tests look).
kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const kernels::RandomFloats& a, const kernels::RandomFloats& b,
                             const float* d, std::uint64_t seed);

}  // namespace ridgeline::warpgroup
