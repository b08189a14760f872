// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void grid_stride_loop(const float* from, float* to, int n) {
  for (int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); i < n;
       i += static_cast<int>(blockDim.x * gridDim.x))
    to[i] = 2 * from[i];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers<float>(device, 777), to = zeros<float>(device, 777);
  run(device, {.grid = dim3(3), .block = dim3(48)}, grid_stride_loop, from.data(), to.data(), 777);
  expect_each(to, [](std::size_t i) { return 2 * i; });
}
