// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void last_block_reduction(const int* from, int* sums, unsigned* come, int* total,
                                     int n) {
  __shared__ int s[64];
  __shared__ bool is_last;
  const unsigned i = threadIdx.x;
  const int at = static_cast<int>(blockIdx.x * 64 + i);
  s[i] = at < n ? from[at] : 0;
  __syncthreads();
  for (unsigned step = 32; step > 0; step /= 2) {
    if (i < step) s[i] += s[i + step];
    __syncthreads();
  }
  if (i == 0) {
    sums[blockIdx.x] = s[0];
    __threadfence();
    is_last = atomicInc(come, gridDim.x - 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (!is_last) return;
  int sum = 0;
  for (unsigned block = i; block < gridDim.x; block += 64) sum += sums[block];
  atomicAdd(total, sum);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 1000), sums = zeros(device, 16), total = zeros(device, 1);
  const auto come = zeros<unsigned>(device, 1);
  run(device, {.grid = dim3(16), .block = dim3(64)}, last_block_reduction, from.data(), sums.data(),
      come.data(), total.data(), 1000);
  expect_each(total, [](std::size_t) { return 499500; });
}
