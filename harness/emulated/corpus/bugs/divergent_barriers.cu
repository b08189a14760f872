// bug: divergent barrier
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void divergent_barriers(int* to) {
  __shared__ int s[64];
  if (threadIdx.x < 32) {
    s[threadIdx.x] = 1;
    __syncthreads();
  } else {
    s[threadIdx.x] = 2;
    __syncthreads();
  }
  to[threadIdx.x] = s[63 - threadIdx.x];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 64);
  run(device, {.block = dim3(64)}, divergent_barriers, to.data());
}
