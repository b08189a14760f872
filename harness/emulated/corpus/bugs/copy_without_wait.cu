// bug: touched while a copy is under way
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void copy_without_wait(const float* from, float* to) {
  __shared__ float s[128];
  emulated::copy_async(s + 4 * threadIdx.x, from + 4 * threadIdx.x, true);
  emulated::copy_commit();
  __syncthreads();
  to[threadIdx.x] = s[threadIdx.x];
  emulated::copy_wait(0);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers<float>(device, 128), to = zeros<float>(device, 32);
  run(device, {.block = dim3(32)}, copy_without_wait, from.data(), to.data());
}
