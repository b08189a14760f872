// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// All threads wait at the barrier for one that reads the same word many times.
__global__ void long_loop_on_one_value(const int* from, int* to) {
  __shared__ int one;
  if (threadIdx.x == 0) one = from[0];
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int i = 0; i < 60000; ++i) {
      sum += one;
      asm volatile("" ::: "memory");
    }
    to[0] = sum;
  }
  __syncthreads();
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const device::Buffer<int> from(device, std::vector<int>(1, 1));
  const auto to = zeros(device, 1);
  run(device, {.block = dim3(64)}, long_loop_on_one_value, from.data(), to.data());
  expect_each(to, [](std::size_t) { return 60000; });
}
