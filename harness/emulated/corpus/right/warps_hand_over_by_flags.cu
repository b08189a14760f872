// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void warps_hand_over_by_flags(const int* from, int* to, int rounds) {
  __shared__ volatile int ready;
  __shared__ int s[32];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) ready = 0;
  __syncthreads();
  for (int round = 0; round < rounds; ++round) {
    if (warp == 0) {
      while (ready != 2 * round) {
      }
      __threadfence_block();
      __syncwarp();
      s[lane] = from[32 * round + static_cast<int>(lane)];
      __syncwarp();
      __threadfence_block();
      if (lane == 0) ready = 2 * round + 1;
    } else {
      while (ready != 2 * round + 1) {
      }
      __threadfence_block();
      __syncwarp();
      to[32 * round + static_cast<int>(lane)] = s[31 - lane];
      __syncwarp();
      __threadfence_block();
      if (lane == 0) ready = 2 * round + 2;
    }
    __syncwarp();
  }
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 96), to = zeros(device, 96);
  run(device, {.block = dim3(64)}, warps_hand_over_by_flags, from.data(), to.data(), 3);
  expect_each(to, [](std::size_t i) { return i / 32 * 32 + 31 - i % 32; });
}
