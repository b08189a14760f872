// bug: trap
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void trap_in_kernel(int* to) {
  if (threadIdx.x == 7) __builtin_trap();
  to[threadIdx.x] = 1;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 32);
  run(device, {.block = dim3(32)}, trap_in_kernel, to.data());
}
