// bug: missing fence.proxy.async
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void bulk_store_without_fence(float* to) {
  __shared__ float s[64];
  s[threadIdx.x] = static_cast<float>(threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) {
    emulated::bulk_store(to, s, 256);
    emulated::bulk_commit();
    emulated::bulk_wait(0);
  }
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros<float>(device, 64);
  run(device, {.block = dim3(64)}, bulk_store_without_fence, to.data());
}
