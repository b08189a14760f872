// bug: uninitialised (shared)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// Shared memory does not outlive a launch.
__global__ void uninitialised_by_a_later_launch(int* to, int round) {
  __shared__ int kept[32];
  if (round == 0) kept[threadIdx.x] = 1;
  __syncthreads();
  to[threadIdx.x] = kept[threadIdx.x];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 32);
  for (const int round : {0, 1})
    run(device, {.block = dim3(32)}, uninitialised_by_a_later_launch, to.data(), round);
}
