// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void several_dynamic_arrays(const int* from, float* to) {
  RIDGELINE_DYNAMIC_SHARED(int, first);
  float* const second = reinterpret_cast<float*>(first + blockDim.x);
  first[threadIdx.x] = from[threadIdx.x];
  __syncthreads();
  second[threadIdx.x] = static_cast<float>(first[blockDim.x - 1 - threadIdx.x]);
  __syncthreads();
  to[threadIdx.x] = second[threadIdx.x];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 64);
  const auto to = zeros<float>(device, 64);
  run(device, {.block = dim3(64), .shared_bytes = 64 * (sizeof(int) + sizeof(float))},
      several_dynamic_arrays, from.data(), to.data());
  expect_each(to, [](std::size_t i) { return 63 - i; });
}
