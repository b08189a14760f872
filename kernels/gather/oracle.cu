#include "kernels/cuda/oracle.cuh"
#include "kernels/cuda/order.cuh"
#include "kernels/gather/gather.hpp"

namespace ridgeline::gather::on_cuda {
namespace {

struct Index {
  kernels::on_cuda::Order order;
  bool random;

  Index(const Problem& problem, std::uint64_t seed)
      : order(static_cast<std::uint64_t>(problem.elements), seed),
        random(problem.order == Order::random) {}
  __device__ std::int64_t operator()(std::int64_t i) const {
    return random ? static_cast<std::int64_t>(order(static_cast<std::uint64_t>(i))) : i;
  }
};

struct Expected {
  kernels::on_cuda::Floats in;
  Index index;
  __device__ std::uint32_t operator()(std::int64_t i) const {
    return __float_as_uint(in(index(i)));
  }
};

void answer(const Problem& problem, const kernels::RandomFloats& in, std::uint64_t index_seed,
            const kernels::Question& question, device::Stream& stream) {
  kernels::on_cuda::answer<std::uint32_t>(question, stream,
                                          Expected{in, Index(problem, index_seed)});
}

void write_index(const Problem& problem, std::uint64_t seed, std::int32_t* index,
                 device::Stream& stream) {
  kernels::on_cuda::write<std::int32_t>({.count = problem.elements, .write_to = index}, stream,
                                        Index(problem, seed));
}

}  // namespace

DeviceOracle oracle() { return {answer, write_index}; }

}  // namespace ridgeline::gather::on_cuda
