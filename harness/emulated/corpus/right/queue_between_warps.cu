// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// A ring of four places: the producer waits for room, the consumer for values.
__global__ void queue_between_warps(int* to, int n) {
  __shared__ volatile int written, read;
  __shared__ int ring[4];
  if (threadIdx.x == 0) {
    written = 0;
    read = 0;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 0; i < n; ++i) {
      while (i - read >= 4) {
      }
      __threadfence_block();
      ring[i % 4] = i * i;
      __threadfence_block();
      written = i + 1;
    }
  }
  if (threadIdx.x == 32) {
    for (int i = 0; i < n; ++i) {
      while (written <= i) {
      }
      __threadfence_block();
      to[i] = ring[i % 4];
      __threadfence_block();
      read = i + 1;
    }
  }
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 20);
  run(device, {.block = dim3(64)}, queue_between_warps, to.data(), 20);
  expect_each(to, [](std::size_t i) { return i * i; });
}
