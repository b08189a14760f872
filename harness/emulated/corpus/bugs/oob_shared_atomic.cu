// bug: out of bounds (shared)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// A value beside the bins.
__global__ void oob_shared_atomic(const int* values, int* to) {
  __shared__ int bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&bins[values[threadIdx.x]], 1);
  __syncthreads();
  if (threadIdx.x < 16) to[threadIdx.x] = bins[threadIdx.x];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto values = numbers(device, 64), to = zeros(device, 16);
  run(device, {.block = dim3(64)}, oob_shared_atomic, values.data(), to.data());
}
