// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// What a thread has set to 0 and counts in, all count in behind a barrier: of the block, or of the
// warp where no other one does. A thread's own atomic before the barrier changes nothing.
__global__ void zeros_before_atomics(int* of_block, int* to) {
  __shared__ int count, own[64], of_warp[2];
  const int thread = static_cast<int>(threadIdx.x);
  own[thread] = 0;
  atomicAdd(&own[thread], thread);
  if (thread == 0) {
    count = 0;
    of_block[blockIdx.x] = 0;
    atomicAdd(&count, 5);
    atomicAdd(&of_block[blockIdx.x], 5);
  }
  if (thread % 32 == 0) of_warp[thread / 32] = 0;
  __syncwarp();
  atomicAdd(&of_warp[thread / 32], 1);
  __syncthreads();
  atomicAdd(&count, own[63 - thread]);
  atomicAdd(&of_block[blockIdx.x], 1);
  __syncthreads();
  if (thread == 0) to[blockIdx.x] = count + of_warp[0] + of_warp[1] + of_block[blockIdx.x];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto of_block = zeros(device, 3), to = zeros(device, 3);
  run(device, {.grid = dim3(3), .block = dim3(64)}, zeros_before_atomics, of_block.data(),
      to.data());
  expect_each(to, [](std::size_t) { return 63 * 32 + 5 + 64 + 64 + 5; });
}
