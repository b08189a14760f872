// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__device__ void wait_for_all(unsigned* come, unsigned round) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(come, 1u);
    while (*static_cast<volatile unsigned*>(come) < round * gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
}

// Blocks add to a sum, which one of them takes and sets back by a plain store. Behind a barrier it
// adds to it again: that needs no order, and the store before the barrier has one.
__global__ void sum_that_is_reset_between_barriers(unsigned* come, int* sum, int* to) {
  for (unsigned i = 0; i < 3; ++i) {
    if (threadIdx.x == 0) atomicAdd(sum, 1);
    wait_for_all(come, 2 * i + 1);
    if (blockIdx.x + threadIdx.x == 0) {
      to[i] = *sum;
      *sum = 0;
    }
    wait_for_all(come, 2 * i + 2);
  }
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto come = zeros<unsigned>(device, 1);
  const auto sum = zeros(device, 1), to = zeros(device, 3);
  run(device, {.grid = dim3(2), .block = dim3(32), .resident = true},
      sum_that_is_reset_between_barriers, come.data(), sum.data(), to.data());
  expect_each(to, [](std::size_t) { return 2; });
}
