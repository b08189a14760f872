// bug: race between blocks
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void race_halo(float* data, int n) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const float next = i + 1 < n ? data[i + 1] : 0;
  __syncthreads();
  data[i] += next;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto data = numbers<float>(device, 128);
  run(device, {.grid = dim3(4), .block = dim3(32)}, race_halo, data.data(), 128);
}
