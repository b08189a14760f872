// bug: uninitialised (global)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void uninitialised_global(int* sums) { sums[threadIdx.x] += 1; }

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const device::Buffer<int> sums(device, 32);
  run(device, {.block = dim3(32)}, uninitialised_global, sums.data());
}
