// bug: block of a wrong size
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void block_too_large(int* to) { to[threadIdx.x] = 1; }

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 2048);
  run(device, {.block = dim3(2048)}, block_too_large, to.data());
}
