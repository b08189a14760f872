// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void threads_end_after_the_last_barrier(const int* from, int* to, int n) {
  __shared__ int s[64];
  const int i = static_cast<int>(threadIdx.x);
  s[i] = i < n ? from[i] : 0;
  __syncthreads();
  if (i >= n) return;
  int sum = 0;
  for (int k = 0; k <= i; ++k) sum += s[k];
  to[i] = sum;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 50), to = zeros(device, 50);
  run(device, {.block = dim3(64)}, threads_end_after_the_last_barrier, from.data(), to.data(), 50);
  expect_each(to, [](std::size_t i) { return i * (i + 1) / 2; });
}
