// bug: race between blocks
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void race_of_resident_blocks(int* data, int* to) {
  data[blockIdx.x] = static_cast<int>(blockIdx.x);
  to[blockIdx.x] = data[(blockIdx.x + 1) % gridDim.x];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto data = zeros(device, 4), to = zeros(device, 4);
  run(device, {.grid = dim3(4), .block = dim3(1), .resident = true}, race_of_resident_blocks,
      data.data(), to.data());
}
