// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void sum_of_a_warp_in_shared_memory(const int* from, int* to) {
  __shared__ int s[64];
  const unsigned i = threadIdx.x;
  s[i] = from[i];
  s[i + 32] = from[i + 32];
  __syncwarp();
  for (unsigned step = 32; step > 0; step /= 2) {
    const int other = s[i + step < 64 ? i + step : i];
    __syncwarp();
    if (i < step) s[i] += other;
    __syncwarp();
  }
  if (i == 0) to[0] = s[0];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 64), to = zeros(device, 1);
  run(device, {.block = dim3(32)}, sum_of_a_warp_in_shared_memory, from.data(), to.data());
  expect_each(to, [](std::size_t) { return 2016; });
}
