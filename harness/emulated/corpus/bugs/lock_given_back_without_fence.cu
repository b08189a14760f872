// bug: missing fence
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// The next one to get the lock may still see the old maximum.
__global__ void lock_given_back_without_fence(const int* from, volatile int* most, int* lock) {
  if (threadIdx.x != 0) return;
  const int mine = from[blockIdx.x];
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  if (mine > most[0]) {
    most[0] = mine;
    most[1] = static_cast<int>(blockIdx.x);
  }
  atomicExch(lock, 0);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 16), most = zeros(device, 2), lock = zeros(device, 1);
  run(device, {.grid = dim3(16), .block = dim3(32)}, lock_given_back_without_fence, from.data(),
      most.data(), lock.data());
}
