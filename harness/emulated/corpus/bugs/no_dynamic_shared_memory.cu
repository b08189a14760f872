// bug: the launch has no dynamic shared memory
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void no_dynamic_shared_memory(int* to) {
  RIDGELINE_DYNAMIC_SHARED(int, s);
  s[threadIdx.x] = 1;
  __syncthreads();
  to[threadIdx.x] = s[31 - threadIdx.x];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 32);
  run(device, {.block = dim3(32)}, no_dynamic_shared_memory, to.data());
}
