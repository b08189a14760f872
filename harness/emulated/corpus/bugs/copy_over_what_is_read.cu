// bug: race (write after read)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// The next copy begins before all have read the tile.
__global__ void copy_over_what_is_read(const float* from, float* to) {
  __shared__ float s[256];
  float sum = 0;
  for (int round = 0; round < 2; ++round) {
    emulated::copy_async(s + 4 * threadIdx.x, from + 256 * round + 4 * threadIdx.x, true);
    emulated::copy_commit();
    emulated::copy_wait(0);
    __syncthreads();
    sum += s[255 - threadIdx.x];
  }
  to[threadIdx.x] = sum;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers<float>(device, 512), to = zeros<float>(device, 64);
  run(device, {.block = dim3(64)}, copy_over_what_is_read, from.data(), to.data());
}
