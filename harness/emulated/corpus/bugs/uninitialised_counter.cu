// bug: uninitialised (global)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void uninitialised_counter(int* count) { atomicAdd(count, 1); }

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const device::Buffer<int> count(device, 1);
  run(device, {.block = dim3(32)}, uninitialised_counter, count.data());
}
