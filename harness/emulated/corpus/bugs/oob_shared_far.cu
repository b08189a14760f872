// bug: out of bounds (shared)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void oob_shared_far(int* to, int where) {
  __shared__ int s[32];
  s[threadIdx.x] = 0;
  __syncthreads();
  s[where] = 1;
  to[threadIdx.x] = s[threadIdx.x];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 32);
  run(device, {.block = dim3(32)}, oob_shared_far, to.data(), 100000);
}
