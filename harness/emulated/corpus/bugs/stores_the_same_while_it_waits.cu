// bug: deadlock
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void stores_the_same_while_it_waits(volatile int* flags) {
  const int me = static_cast<int>(blockIdx.x);
  while (flags[1 - me] == 0) flags[2 + me] = 1;
  flags[me] = 1;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto flags = zeros(device, 4);
  run(device, {.grid = dim3(2), .block = dim3(1)}, stores_the_same_while_it_waits, flags.data());
}
