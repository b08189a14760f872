// bug: race (
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void race_histogram(const int* values, int* to) {
  __shared__ int bins[8];
  if (threadIdx.x < 8) bins[threadIdx.x] = 0;
  __syncthreads();
  bins[values[threadIdx.x] % 8] += 1;
  __syncthreads();
  if (threadIdx.x < 8) to[threadIdx.x] = bins[threadIdx.x];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto values = numbers(device, 128), to = zeros(device, 8);
  run(device, {.block = dim3(128)}, race_histogram, values.data(), to.data());
}
