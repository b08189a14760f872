// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// A block that waits for the lock mostly finds it taken again.
__global__ void lock_taken_many_times(int* lock, int* count, volatile int* volatile_count,
                                      int times) {
  for (int i = 0; i < times; ++i) {
    if (threadIdx.x == 0) {
      while (atomicCAS(lock, 0, 1) != 0) {
      }
      __threadfence();
      *count += 1;
      *volatile_count = *volatile_count + 1;
      __threadfence();
      atomicExch(lock, 0);
    }
    __syncwarp();
  }
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto lock = zeros(device, 1), count = zeros(device, 1), volatile_count = zeros(device, 1);
  run(device, {.grid = dim3(8), .block = dim3(32)}, lock_taken_many_times, lock.data(),
      count.data(), volatile_count.data(), 1000);
  for (const auto* each : {&count, &volatile_count})
    expect_each(*each, [](std::size_t) { return 8000; });
}
