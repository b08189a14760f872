// bug: deadlock
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// Each of two warps holds one lock and waits for the other.
__global__ void two_locks_in_two_orders(int* locks, volatile int* held) {
  const unsigned warp = threadIdx.x / 32;
  if (threadIdx.x % 32 != 0) return;
  while (atomicCAS(locks + warp, 0, 1) != 0) {
  }
  held[warp] = 1;
  while (held[1 - warp] == 0) {
  }
  while (atomicCAS(locks + 1 - warp, 0, 1) != 0) {
  }
  atomicExch(locks, 0);
  atomicExch(locks + 1, 0);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto locks = zeros(device, 2), held = zeros(device, 2);
  run(device, {.block = dim3(64)}, two_locks_in_two_orders, locks.data(), held.data());
}
