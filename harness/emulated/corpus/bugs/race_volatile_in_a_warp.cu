// bug: race (read after write)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// The last steps of a sum, as they were written when lanes of a warp were in step.
__device__ void sum_of_a_warp_in_step(volatile int* s, unsigned i) {
  s[i] = s[i] + s[i + 32];
  s[i] = s[i] + s[i + 16];
  s[i] = s[i] + s[i + 8];
  s[i] = s[i] + s[i + 4];
  s[i] = s[i] + s[i + 2];
  s[i] = s[i] + s[i + 1];
}

__global__ void race_volatile_in_a_warp(const int* from, int* to) {
  __shared__ int s[64];
  const unsigned i = threadIdx.x;
  s[i] = from[i];
  __syncthreads();
  if (i < 32) sum_of_a_warp_in_step(s, i);
  if (i == 0) to[0] = s[0];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 64), to = zeros(device, 1);
  run(device, {.block = dim3(64)}, race_volatile_in_a_warp, from.data(), to.data());
}
