// bug: missing fence
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// Nothing is cached, and yet the atomic may be seen before the store that precedes it.
__global__ void last_block_volatile_without_fence(const float* from, volatile float* sums,
                                                  unsigned* come, float* total) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    sums[blockIdx.x] = from[blockIdx.x];
    is_last = atomicAdd(come, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last || threadIdx.x != 0) return;
  float sum = 0;
  for (unsigned i = 0; i < gridDim.x; ++i) sum += sums[i];
  *total = sum;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers<float>(device, 20), sums = zeros<float>(device, 20),
             total = zeros<float>(device, 1);
  const auto come = zeros<unsigned>(device, 1);
  run(device, {.grid = dim3(20), .block = dim3(32)}, last_block_volatile_without_fence, from.data(),
      sums.data(), come.data(), total.data());
}
