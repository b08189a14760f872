// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void spin_lock_between_blocks(int* lock, int* count) {
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *count += static_cast<int>(blockIdx.x);
    __threadfence();
    atomicExch(lock, 0);
  }
  __syncthreads();
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto lock = zeros(device, 1), count = zeros(device, 1);
  run(device, {.grid = dim3(12), .block = dim3(64)}, spin_lock_between_blocks, lock.data(),
      count.data());
  expect_each(count, [](std::size_t) { return 66; });
}
