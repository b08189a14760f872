// bug: misaligned
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void copy_misaligned(const float* from, float* to) {
  __shared__ float s[132];
  emulated::copy_async(s + 4 * threadIdx.x, from + 4 * threadIdx.x + 1, true);
  emulated::copy_commit();
  emulated::copy_wait(0);
  __syncthreads();
  to[threadIdx.x] = s[threadIdx.x];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers<float>(device, 132), to = zeros<float>(device, 32);
  run(device, {.block = dim3(32)}, copy_misaligned, from.data(), to.data());
}
