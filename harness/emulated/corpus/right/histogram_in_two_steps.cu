// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void histogram_in_two_steps(const int* values, int* to, int n) {
  __shared__ int bins[32];
  if (threadIdx.x < 32) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n;
       i += static_cast<int>(gridDim.x * blockDim.x))
    atomicAdd(&bins[values[i] % 32], 1);
  __syncthreads();
  if (threadIdx.x < 32) atomicAdd(&to[threadIdx.x], bins[threadIdx.x]);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto values = numbers(device, 1024), to = zeros(device, 32);
  run(device, {.grid = dim3(5), .block = dim3(64)}, histogram_in_two_steps, values.data(),
      to.data(), 1024);
  expect_each(to, [](std::size_t) { return 32; });
}
