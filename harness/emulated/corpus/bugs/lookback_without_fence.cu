// bug: race between blocks
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void lookback_without_fence(const int* from, volatile int* flags, int* sums) {
  if (threadIdx.x != 0) return;
  const unsigned block = blockIdx.x;
  int sum = from[block];
  if (block > 0) {
    while (flags[block - 1] == 0) {
    }
    sum += sums[block - 1];
  }
  sums[block] = sum;
  flags[block] = 1;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 16), flags = zeros(device, 16), sums = zeros(device, 16);
  run(device, {.grid = dim3(16), .block = dim3(32)}, lookback_without_fence, from.data(),
      flags.data(), sums.data());
}
