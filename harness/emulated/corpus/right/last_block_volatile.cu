// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// As in the well-known sample: each thread fences its own sums, and the last block reads volatile.
__global__ void last_block_volatile(const float* from, volatile float* sums, unsigned* come,
                                    float* total) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = from[blockIdx.x];
    __threadfence();
    const unsigned ticket = atomicInc(come, gridDim.x);
    is_last = ticket == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 0) {
    float sum = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) sum += sums[i];
    *total = sum;
    *come = 0;
  }
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers<float>(device, 32), sums = zeros<float>(device, 32),
             total = zeros<float>(device, 1);
  const auto come = zeros<unsigned>(device, 1);
  run(device, {.grid = dim3(32), .block = dim3(32)}, last_block_volatile, from.data(), sums.data(),
      come.data(), total.data());
  expect_each(total, [](std::size_t) { return 496; });
}
