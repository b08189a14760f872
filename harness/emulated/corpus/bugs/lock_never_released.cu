// bug: deadlock
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void lock_never_released(int* lock, int* count) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *count += 1;
  if (*count == 100) atomicExch(lock, 0);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto lock = zeros(device, 1), count = zeros(device, 1);
  run(device, {.grid = dim3(4), .block = dim3(32)}, lock_never_released, lock.data(), count.data());
}
