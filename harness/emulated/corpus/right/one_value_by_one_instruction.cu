// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void one_value_by_one_instruction(const int* from, int* to) {
  __shared__ int any;
  if (threadIdx.x == 0) any = 0;
  __syncthreads();
  if (threadIdx.x < 32 && from[threadIdx.x] > 3) any = 1;
  __syncthreads();
  to[threadIdx.x] = any;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 64), to = zeros(device, 64);
  run(device, {.block = dim3(64)}, one_value_by_one_instruction, from.data(), to.data());
  expect_each(to, [](std::size_t) { return 1; });
}
