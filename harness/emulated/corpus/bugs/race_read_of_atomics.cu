// bug: race
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void race_read_of_atomics(int* count, int* to) {
  atomicAdd(count, 1);
  to[threadIdx.x] = *count;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto count = zeros(device, 1), to = zeros(device, 64);
  run(device, {.block = dim3(64)}, race_read_of_atomics, count.data(), to.data());
}
