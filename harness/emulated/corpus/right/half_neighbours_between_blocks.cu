// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// Blocks of 33 threads: some words of 4 bytes belong to two blocks.
__global__ void half_neighbours_between_blocks(__half* data) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const __half old = data[i], value = __float2half(__half2float(old) + 1);
  data[i] = value;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto data = zeros<__half>(device, 33 * 8);
  run(device, {.grid = dim3(8), .block = dim3(33)}, half_neighbours_between_blocks, data.data());
  for (const __half value : data.download()) device::expect(__half2float(value) == 1, "an element");
}
