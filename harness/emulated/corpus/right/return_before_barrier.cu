// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void return_before_barrier(const int* from, int* to, int n) {
  __shared__ int s[128];
  const int i = static_cast<int>(threadIdx.x);
  if (i >= n) return;
  s[i] = from[i];
  __syncthreads();
  to[i] = s[n - 1 - i];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 100), to = zeros(device, 100);
  run(device, {.block = dim3(128)}, return_before_barrier, from.data(), to.data(), 100);
}
