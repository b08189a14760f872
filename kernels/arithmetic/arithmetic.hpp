#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "harness/base/dtype.hpp"
#include "harness/device/stream.hpp"
#include "harness/device/support.hpp"
#include "kernels/deviation.hpp"
#include "kernels/exact_steps.hpp"
#include "kernels/question.hpp"
#include "kernels/variant.hpp"

/// Multiply-adds on registers, with memory touched only at the ends.
namespace ridgeline::arithmetic {

/// Takes `lanes` values through `rounds` rounds of kernels/exact_steps.hpp.
struct Problem {
  DType dtype = DType::f32;
  std::int64_t lanes = 0;
  std::int64_t rounds = 1;

  double flops() const {
    return kernels::flops_of_round * static_cast<double>(rounds) * static_cast<double>(lanes);
  }
  double bytes() const {
    return static_cast<double>(lanes) * (4.0 + static_cast<double>(size_of(dtype)));
  }
};

/// `in` has `lanes` floats, rounded to multiples of 2^-10 when dtype is f16; `out` has `lanes`
/// elements of dtype. Device memory, aligned to 256 bytes.
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

/// Asks the device's oracle about the output for inputs `in`. Null where there is none.
using DeviceOracle = void (*)(const Problem&, const kernels::RandomFloats& in,
                              const kernels::Question&, device::Stream&);
DeviceOracle device_oracle();

/// Wrong elements of `out` among those checked.
kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const kernels::RandomFloats& in, const void* out, std::uint64_t seed);

}  // namespace ridgeline::arithmetic
