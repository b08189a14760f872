// bug: race (
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// Lanes of a warp are not in step any more.
__global__ void race_warp_synchronous(const int* from, int* to) {
  __shared__ int s[64];
  const unsigned i = threadIdx.x;
  s[i] = from[i];
  s[i + 32] = from[i + 32];
  for (unsigned step = 32; step > 0; step /= 2) s[i] += s[i + step];
  if (i == 0) to[0] = s[0];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 64), to = zeros(device, 1);
  run(device, {.block = dim3(32)}, race_warp_synchronous, from.data(), to.data());
}
