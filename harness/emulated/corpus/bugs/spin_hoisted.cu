// bug: endless loop
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// Read once, before the loop: the compiler knows of nobody who changes it.
__global__ void spin_hoisted(int* total) {
  while (total[threadIdx.x] == 0) {
  }
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto total = zeros(device, 32);
  run(device, {.block = dim3(32)}, spin_hoisted, total.data());
}
