// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// Each block adds its part behind the one before it, so that sums are the same bit for bit.
__global__ void blocks_wait_for_their_turn(const float* from, float* sum, volatile unsigned* turn) {
  if (threadIdx.x == 0) {
    while (*turn != blockIdx.x) {
    }
    __threadfence();
    *sum += from[blockIdx.x];
    __threadfence();
    *turn = blockIdx.x + 1;
  }
  __syncthreads();
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers<float>(device, 20), sum = zeros<float>(device, 1);
  const auto turn = zeros<unsigned>(device, 1);
  run(device, {.grid = dim3(20), .block = dim3(64)}, blocks_wait_for_their_turn, from.data(),
      sum.data(), turn.data());
  expect_each(sum, [](std::size_t) { return 190; });
}
