// bug: race
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void race_atomic_and_store(int* count) {
  if (threadIdx.x == 0) *count = 0;
  atomicAdd(count, 1);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto count = zeros(device, 1);
  run(device, {.block = dim3(64)}, race_atomic_and_store, count.data());
}
