#include "kernels/cuda/multiply_add_steps.cuh"
#include "kernels/cuda/oracle.cuh"
#include "kernels/occupancy/occupancy.hpp"

namespace ridgeline::occupancy::on_cuda {
namespace {

struct Load {
  kernels::on_cuda::Floats in;
  __device__ std::uint32_t operator()(std::int64_t i) const { return __float_as_uint(in(i)); }
};

struct Fma {
  kernels::on_cuda::Floats in;
  std::int64_t rounds;
  __device__ std::uint32_t operator()(std::int64_t i) const {
    return __float_as_uint(static_cast<float>(kernels::on_cuda::take_steps(in(i), rounds)));
  }
};

void answer(const Problem& problem, const kernels::RandomFloats& in,
            const kernels::Question& question, device::Stream& stream) {
  if (problem.operation == Operation::load)
    return kernels::on_cuda::answer_sum(question, stream, problem.elements, Load{in});
  kernels::on_cuda::answer<std::uint32_t>(question, stream, Fma{in, problem.rounds});
}

}  // namespace

DeviceOracle oracle() { return answer; }

}  // namespace ridgeline::occupancy::on_cuda
