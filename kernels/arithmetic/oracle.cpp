#include <cmath>

#include "harness/base/half.hpp"
#include "kernels/arithmetic/arithmetic.hpp"

namespace ridgeline::arithmetic {
namespace {

/// Exact in f64, so that it is exact in `dtype` too.
double expected(const Problem& problem, float in) {
  const double x = problem.dtype == DType::f16 ? std::nearbyint(static_cast<double>(in) * 1024) / 1024 : in;
  return problem.rounds % 2 == 1 ? x + pairs * difference : x;
}

}  // namespace

kernels::Deviation deviation(device::Device& device, const Problem& problem, const kernels::RandomFloats& in,
                             const void* out, std::uint64_t seed) {
  switch (problem.dtype) {
    case DType::f32:
      return kernels::compare_bits(device, static_cast<const float*>(out), problem.lanes, seed,
                                   [&](std::int64_t i) { return static_cast<float>(expected(problem, in(i))); });
    case DType::f64:
      return kernels::compare_bits(device, static_cast<const double*>(out), problem.lanes, seed,
                                   [&](std::int64_t i) { return expected(problem, in(i)); });
    case DType::f16:
      return kernels::compare_bits(
          device, static_cast<const std::uint16_t*>(out), problem.lanes, seed,
          [&](std::int64_t i) { return to_f16(static_cast<float>(expected(problem, in(i)))); });
    default:
      throw Error(ErrorKind::internal, "no oracle for " + std::string(to_string(problem.dtype)));
  }
}

Problem problem_for(DType dtype, const device::Facts& facts) {
  if (facts.kind == device::Kind::cuda)
    return {dtype, std::int64_t{facts.units} * facts.max_threads_per_unit * 16, dtype == DType::f64 ? 17 : 33};
  return {dtype, std::int64_t{facts.units} * 4096, 65};
}

}  // namespace ridgeline::arithmetic
