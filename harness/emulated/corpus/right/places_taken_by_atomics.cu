// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void places_taken_by_atomics(const int* from, int* to, int* next) {
  const int value = from[blockIdx.x * 32 + threadIdx.x];
  if (value % 2 == 0) to[atomicAdd(next, 1)] = value;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 128), to = zeros(device, 64), next = zeros(device, 1);
  run(device, {.grid = dim3(4), .block = dim3(32)}, places_taken_by_atomics, from.data(), to.data(),
      next.data());
  int sum = 0;
  for (const int value : to.download()) sum += value;
  device::expect(sum == 63 * 64, "the sum");
}
