// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void shared_flag_by_atomics_and_volatile_loads(int* to) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncthreads();
  __threadfence_block();
  atomicAdd(&count, 1);
  while (*static_cast<volatile int*>(&count) < static_cast<int>(blockDim.x)) {
  }
  __threadfence_block();
  to[threadIdx.x] = 1;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 96);
  run(device, {.block = dim3(96)}, shared_flag_by_atomics_and_volatile_loads, to.data());
  expect_each(to, [](std::size_t) { return 1; });
}
