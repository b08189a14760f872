#include "kernels/cuda/oracle.cuh"
#include "kernels/divergence/divergence.hpp"

namespace ridgeline::divergence::on_cuda {
namespace {

struct Expected {
  kernels::on_cuda::Floats in;
  int ways;
  bool by_lane;

  __device__ std::uint32_t operator()(std::int64_t i) const {
    const int way = static_cast<int>((by_lane ? i : i / 32) % ways);
    const float added = static_cast<float>(way + 1) / 16;
    float x = in(i);
    for (int step = 0; step < steps; ++step) x = fmaf(factor, x, added);
    return __float_as_uint(x);
  }
};

void answer(const Problem& problem, Grouping grouping, const kernels::RandomFloats& in,
            const kernels::Question& question, device::Stream& stream) {
  kernels::on_cuda::answer<std::uint32_t>(
      question, stream, Expected{in, problem.ways, grouping == Grouping::by_lane});
}

}  // namespace

DeviceOracle oracle() { return answer; }

}  // namespace ridgeline::divergence::on_cuda
