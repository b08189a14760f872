// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void spin_lock_in_warp(int* lock, int* count) {
  for (bool done = false; !done;)
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *count += 1;
      __threadfence();
      atomicExch(lock, 0);
      done = true;
    }
  __syncwarp();
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto lock = zeros(device, 1), count = zeros(device, 1);
  run(device, {.block = dim3(32)}, spin_lock_in_warp, lock.data(), count.data());
  expect_each(count, [](std::size_t) { return 32; });
}
