// bug: touched while a copy is under way
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void copy_waits_for_wrong_group(const float* from, float* to) {
  __shared__ float s[2][128];
  for (int stage = 0; stage < 2; ++stage) {
    emulated::copy_async(s[stage] + 4 * threadIdx.x, from + 128 * stage + 4 * threadIdx.x, true);
    emulated::copy_commit();
  }
  emulated::copy_wait(1);
  __syncthreads();
  to[threadIdx.x] = s[0][threadIdx.x] + s[1][threadIdx.x];
  emulated::copy_wait(0);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers<float>(device, 256), to = zeros<float>(device, 32);
  run(device, {.block = dim3(32)}, copy_waits_for_wrong_group, from.data(), to.data());
}
