// bug: deadlock
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void syncwarp_in_branch(int* to) {
  if (threadIdx.x < 8) {
    __syncwarp();
    to[threadIdx.x] = 1;
  }
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 32);
  run(device, {.block = dim3(32)}, syncwarp_in_branch, to.data());
}
