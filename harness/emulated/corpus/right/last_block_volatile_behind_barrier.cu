// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// The fence of one thread covers what the others have done before the barrier.
__global__ void last_block_volatile_behind_barrier(const float* from, volatile float* sums,
                                                   unsigned* come, float* total) {
  __shared__ bool is_last;
  const unsigned place = blockIdx.x * blockDim.x + threadIdx.x;
  sums[place] = from[place];
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    is_last = atomicAdd(come, 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!is_last) return;
  float sum = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x * blockDim.x; i += blockDim.x) sum += sums[i];
  atomicAdd(total, sum);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers<float>(device, 640), sums = zeros<float>(device, 640),
             total = zeros<float>(device, 1);
  const auto come = zeros<unsigned>(device, 1);
  run(device, {.grid = dim3(10), .block = dim3(64)}, last_block_volatile_behind_barrier,
      from.data(), sums.data(), come.data(), total.data());
  expect_each(total, [](std::size_t) { return 204480; });
}
