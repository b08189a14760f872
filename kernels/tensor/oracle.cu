#include "kernels/cuda/grid.cuh"
#include "kernels/cuda/oracle.cuh"
#include "kernels/tensor/tensor.hpp"

namespace ridgeline::tensor::on_cuda {
namespace {

struct Expected {
  kernels::on_cuda::Floats a, b;

  __device__ std::uint32_t operator()(std::int64_t i) const {
    const std::int64_t col = i % 16, row = i / 16 % 16, tile = i / 256 % 4, group = i / 1024;
    double sum = 0;
    for (std::int64_t k = 0; k < 16; ++k) {
      const double left = a((group * 16 + row) * 16 + k), right = b((group * 16 + k) * 16 + col);
      sum += kernels::on_cuda::down_to_128ths(left) * kernels::on_cuda::down_to_128ths(right);
    }
    return __float_as_uint(static_cast<float>(sum + 0.125 * static_cast<double>(tile)));
  }
};

void answer(const Problem&, const kernels::RandomFloats& a, const kernels::RandomFloats& b,
            const kernels::Question& question, device::Stream& stream) {
  kernels::on_cuda::answer<std::uint32_t>(question, stream, Expected{a, b});
}

}  // namespace

DeviceOracle oracle() { return answer; }

}  // namespace ridgeline::tensor::on_cuda
