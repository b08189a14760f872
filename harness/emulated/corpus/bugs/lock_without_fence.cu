// bug: race between blocks
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void lock_without_fence(int* lock, int* count) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  *count += 1;
  atomicExch(lock, 0);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto lock = zeros(device, 1), count = zeros(device, 1);
  run(device, {.grid = dim3(8), .block = dim3(32)}, lock_without_fence, lock.data(), count.data());
}
