#include "kernels/cuda/oracle.cuh"
#include "kernels/stream/stream.hpp"

namespace ridgeline::stream::on_cuda {
namespace {

struct Read {
  kernels::on_cuda::Floats a;
  __device__ std::uint32_t operator()(std::int64_t i) const { return __float_as_uint(a(i)); }
};

struct Copy {
  kernels::on_cuda::Floats a;
  __device__ std::uint32_t operator()(std::int64_t i) const { return __float_as_uint(a(i)); }
};

struct Triad {
  kernels::on_cuda::Floats a, b;
  __device__ std::uint32_t operator()(std::int64_t i) const {
    const double sum = static_cast<double>(a(i)) + b(i) + b(i);
    return __float_as_uint(static_cast<float>(sum));
  }
};

void answer(const Problem& problem, const kernels::RandomFloats& a, const kernels::RandomFloats& b,
            const kernels::Question& question, device::Stream& stream) {
  switch (problem.operation) {
    case Operation::read:
    case Operation::read_by_all:
      return kernels::on_cuda::answer_sum(question, stream, problem.elements, Read{a},
                                          problem.times());
    case Operation::copy:
      return kernels::on_cuda::answer<std::uint32_t>(question, stream, Copy{a});
    case Operation::triad:
      return kernels::on_cuda::answer<std::uint32_t>(question, stream, Triad{a, b});
  }
}

}  // namespace

DeviceOracle oracle() { return answer; }

}  // namespace ridgeline::stream::on_cuda
