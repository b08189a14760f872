// bug: out of bounds (global)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void oob_next_buffer(int* data) { data[threadIdx.x + (1u << 20)] = 1; }

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto data = zeros(device, 64), next = zeros(device, 1 << 22);
  run(device, {.block = dim3(32)}, oob_next_buffer, data.data());
}
