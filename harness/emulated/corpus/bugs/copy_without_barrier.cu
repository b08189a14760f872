// bug: race (read after write)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// The wait is for a thread's own copies alone.
__global__ void copy_without_barrier(const float* from, float* to) {
  __shared__ float s[256];
  emulated::copy_async(s + 4 * threadIdx.x, from + 4 * threadIdx.x, true);
  emulated::copy_commit();
  emulated::copy_wait(0);
  to[threadIdx.x] = s[255 - threadIdx.x];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers<float>(device, 256), to = zeros<float>(device, 64);
  run(device, {.block = dim3(64)}, copy_without_barrier, from.data(), to.data());
}
