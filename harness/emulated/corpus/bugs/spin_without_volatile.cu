// bug: endless loop
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void spin_without_volatile(const int* flag, int* to) {
  int rounds = 0;
  while (flag[threadIdx.x] == 0) {
    ++rounds;
    asm volatile("" ::: "memory");
  }
  to[threadIdx.x] = rounds;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto flag = zeros(device, 64), to = zeros(device, 64);
  run(device, {.block = dim3(64)}, spin_without_volatile, flag.data(), to.data());
}
