// bug: misaligned
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void misaligned_shared(float* to) {
  __shared__ float s[65];
  s[threadIdx.x] = s[threadIdx.x + 32] = 1;
  __syncthreads();
  const float2 two = *reinterpret_cast<const float2*>(s + threadIdx.x);
  to[threadIdx.x] = two.x + two.y;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros<float>(device, 32);
  run(device, {.block = dim3(32)}, misaligned_shared, to.data());
}
