#include "kernels/cuda/oracle.cuh"
#include "kernels/transpose/transpose.hpp"

namespace ridgeline::transpose::on_cuda {
namespace {

struct Expected {
  kernels::on_cuda::Floats in;
  std::int64_t rows, cols;

  __device__ std::uint32_t operator()(std::int64_t i) const {
    const std::int64_t col = i / rows, row = i - col * rows;  // row `col` of the output
    return __float_as_uint(in(cols * row + col));
  }
};

void answer(const Problem& problem, const kernels::RandomFloats& in,
            const kernels::Question& question, device::Stream& stream) {
  kernels::on_cuda::answer<std::uint32_t>(question, stream,
                                          Expected{in, problem.rows, problem.cols});
}

}  // namespace

DeviceOracle oracle() { return answer; }

}  // namespace ridgeline::transpose::on_cuda
