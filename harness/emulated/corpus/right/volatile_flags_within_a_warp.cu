// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// A lane may wait for another one of its warp: for one flag of the block, and for the one of the
// lane beside it.
__global__ void volatile_flags_within_a_warp(int* to) {
  __shared__ volatile int go, here[64];
  here[threadIdx.x] = 0;
  if (threadIdx.x == 0) go = 0;
  __syncthreads();
  if (threadIdx.x == 5) go = 1;
  while (go == 0) {
  }
  here[threadIdx.x] = 1;
  while (here[threadIdx.x ^ 1] == 0) {
  }
  to[threadIdx.x] = 1;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 64);
  run(device, {.block = dim3(64)}, volatile_flags_within_a_warp, to.data());
  expect_each(to, [](std::size_t) { return 1; });
}
