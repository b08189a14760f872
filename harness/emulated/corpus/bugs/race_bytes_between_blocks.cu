// bug: race between blocks
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void race_bytes_between_blocks(unsigned char* data) {
  data[threadIdx.x + 31 * blockIdx.x] = static_cast<unsigned char>(blockIdx.x + 1);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto data = zeros<unsigned char>(device, 64);
  run(device, {.grid = dim3(2), .block = dim3(32)}, race_bytes_between_blocks, data.data());
}
