// bug: race (
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void race_tree_reduction(const int* from, int* to) {
  __shared__ int s[256];
  const unsigned i = threadIdx.x;
  s[i] = from[i];
  __syncthreads();
  for (unsigned step = 128; step > 0; step /= 2)
    if (i < step) s[i] += s[i + step];
  if (i == 0) to[0] = s[0];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 256), to = zeros(device, 1);
  run(device, {.block = dim3(256)}, race_tree_reduction, from.data(), to.data());
}
