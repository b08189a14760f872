// bug: race between blocks
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void race_halves_between_blocks(__half* data) {
  const unsigned i = blockIdx.x * 31 + threadIdx.x;
  const __half value = __float2half(static_cast<float>(blockIdx.x + 1));
  data[i] = value;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const device::Buffer<__half> data(device, 64);
  run(device, {.grid = dim3(2), .block = dim3(32)}, race_halves_between_blocks, data.data());
}
