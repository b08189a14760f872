// bug: uninitialised (shared)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// The last tile is shorter, and the rest of it is summed all the same.
__global__ void uninitialised_tail(const float* from, float* to, int n) {
  __shared__ float tile[64];
  const int i = static_cast<int>(blockIdx.x * 64 + threadIdx.x);
  if (i < n) tile[threadIdx.x] = from[i];
  __syncthreads();
  if (threadIdx.x != 0) return;
  float sum = 0;
  for (int k = 0; k < 64; ++k) sum += tile[k];
  to[blockIdx.x] = sum;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = zeros<float>(device, 100), to = zeros<float>(device, 2);
  run(device, {.grid = dim3(2), .block = dim3(64)}, uninitialised_tail, from.data(), to.data(),
      100);
}
