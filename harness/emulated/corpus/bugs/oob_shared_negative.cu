// bug: out of bounds (shared)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void oob_shared_negative(const int* from, int* to) {
  __shared__ int s[64];
  const int i = static_cast<int>(threadIdx.x);
  s[i] = from[i];
  __syncthreads();
  to[i] = s[i - 1];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 64), to = zeros(device, 64);
  run(device, {.block = dim3(64)}, oob_shared_negative, from.data(), to.data());
}
