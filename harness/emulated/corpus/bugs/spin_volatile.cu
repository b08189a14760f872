// bug: deadlock
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void spin_volatile(volatile int* flag, int* to) {
  while (flag[0] == 0) {
  }
  to[threadIdx.x] = 1;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto flag = zeros(device, 1), to = zeros(device, 32);
  run(device, {.block = dim3(32)}, spin_volatile, flag.data(), to.data());
}
