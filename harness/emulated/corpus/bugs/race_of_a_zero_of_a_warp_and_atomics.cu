// bug: race (write after write)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// __syncwarp() orders the zero for one warp, and the others add as well.
__global__ void race_of_a_zero_of_a_warp_and_atomics(int* to) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  __syncwarp();
  if (threadIdx.x % 32 == 0) atomicAdd(&count, 1);
  __syncthreads();
  if (threadIdx.x == 0) *to = count;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 1);
  run(device, {.grid = dim3(1), .block = dim3(64)}, race_of_a_zero_of_a_warp_and_atomics,
      to.data());
}
