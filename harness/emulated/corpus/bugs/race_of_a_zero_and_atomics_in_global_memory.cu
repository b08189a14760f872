// bug: race (write after write)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void race_of_a_zero_and_atomics_in_global_memory(int* count) {
  if (threadIdx.x == 0) *count = 0;
  atomicAdd(count, 1);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto count = zeros(device, 1);
  run(device, {.grid = dim3(1), .block = dim3(64)}, race_of_a_zero_and_atomics_in_global_memory,
      count.data());
}
