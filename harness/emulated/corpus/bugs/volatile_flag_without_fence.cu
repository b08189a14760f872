// bug: missing fence
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// The sum may be seen later than the flag behind it.
__global__ void volatile_flag_without_fence(const int* from, volatile int* flags,
                                            volatile int* sums) {
  __shared__ int before;
  const unsigned block = blockIdx.x;
  if (threadIdx.x == 0 && block > 0) {
    while (flags[block - 1] == 0) {
    }
    before = sums[block - 1];
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  sums[block] = from[block] + (block > 0 ? before : 0);
  flags[block] = 1;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 16), flags = zeros(device, 16), sums = zeros(device, 16);
  run(device, {.grid = dim3(16), .block = dim3(32)}, volatile_flag_without_fence, from.data(),
      flags.data(), sums.data());
}
