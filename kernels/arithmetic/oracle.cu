#include "harness/base/error.hpp"
#include "kernels/arithmetic/arithmetic.hpp"
#include "kernels/cuda/multiply_add_steps.cuh"
#include "kernels/cuda/oracle.cuh"
#include "kernels/cuda/words.cuh"

namespace ridgeline::arithmetic::on_cuda {
namespace {

/// A lane's value at the end, in f64: exact in the problem's type, too.
struct Lane {
  kernels::on_cuda::Floats in;
  std::int64_t rounds;
  bool coarse;  // rounded to a multiple of 2^-10 first

  __device__ double operator()(std::int64_t i) const {
    const double x = in(i);
    return kernels::on_cuda::take_steps(coarse ? rint(x * 1024) / 1024 : x, rounds);
  }
};

struct F16 {
  Lane lane;
  __device__ std::uint16_t operator()(std::int64_t i) const {
    return kernels::on_cuda::word_of_f16(lane(i));
  }
};
struct F32 {
  Lane lane;
  __device__ std::uint32_t operator()(std::int64_t i) const {
    return kernels::on_cuda::word_of_f32(lane(i));
  }
};
struct F64 {
  Lane lane;
  __device__ std::uint64_t operator()(std::int64_t i) const {
    return kernels::on_cuda::word_of_f64(lane(i));
  }
};

void answer(const Problem& problem, const kernels::RandomFloats& in,
            const kernels::Question& question, device::Stream& stream) {
  const Lane lane{in, problem.rounds, problem.dtype == DType::f16};
  if (problem.dtype == DType::f16)
    return kernels::on_cuda::answer<std::uint16_t>(question, stream, F16{lane});
  if (problem.dtype == DType::f32)
    return kernels::on_cuda::answer<std::uint32_t>(question, stream, F32{lane});
  require(problem.dtype == DType::f64, "lanes are of f16, f32 or f64");
  kernels::on_cuda::answer<std::uint64_t>(question, stream, F64{lane});
}

}  // namespace

DeviceOracle oracle() { return answer; }

}  // namespace ridgeline::arithmetic::on_cuda
