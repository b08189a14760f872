#include <cmath>

#include "harness/base/half.hpp"
#include "harness/device/facts.hpp"
#include "kernels/arithmetic/arithmetic.hpp"
#include "kernels/bits.hpp"

namespace ridgeline::arithmetic {
namespace {

/// In f64, and exact in `dtype` too.
double expected(const Problem& problem, float in) {
  const double x =
      problem.dtype == DType::f16 ? std::nearbyint(static_cast<double>(in) * 1024) / 1024 : in;
  return kernels::after_rounds(x, problem.rounds);
}

}  // namespace

kernels::Deviation deviation(device::Device& device, const Problem& problem,
                             const kernels::RandomFloats& in, const void* out, std::uint64_t seed) {
  const kernels::DeviceOracle oracle =
      kernels::bound("arithmetic " + std::string(to_string(problem.dtype)), in.distribution,
                     device_oracle(), problem, in);
  switch (problem.dtype) {
    case DType::f32:
      return kernels::compare_bits(
          device, static_cast<const float*>(out), problem.lanes, seed,
          [&](std::int64_t i) { return static_cast<float>(expected(problem, in(i))); }, oracle);
    case DType::f64:
      return kernels::compare_bits(
          device, static_cast<const double*>(out), problem.lanes, seed,
          [&](std::int64_t i) { return expected(problem, in(i)); }, oracle);
    case DType::f16:
      return kernels::compare_bits(
          device, static_cast<const std::uint16_t*>(out), problem.lanes, seed,
          [&](std::int64_t i) { return to_f16(static_cast<float>(expected(problem, in(i)))); },
          oracle);
    default:
      throw Error(ErrorKind::internal, "no oracle for " + std::string(to_string(problem.dtype)));
  }
}

Problem problem_for(DType dtype, const device::Facts& facts) {
  // 1024 threads per SM of eight chains each, so that every SM has the same share of one wave of
  // blocks.
  if (facts.kind == device::Kind::cuda)
    return {dtype, std::int64_t{facts.units} * 1024 * 8 * (dtype == DType::f16 ? 2 : 1),
            dtype == DType::f64 ? 33 : 65};
  return {dtype, std::int64_t{facts.units} * 4096, 65};
}

}  // namespace ridgeline::arithmetic
