// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void copies_in_three_stages(const float* from, float* to, int rounds) {
  __shared__ float s[3][128];
  for (int stage = 0; stage < 2; ++stage) {
    emulated::copy_async(s[stage] + 4 * threadIdx.x, from + 128 * stage + 4 * threadIdx.x, true);
    emulated::copy_commit();
  }
  float sum = 0;
  for (int round = 0; round < rounds; ++round) {
    emulated::copy_wait(1);
    __syncthreads();
    const int next = round + 2;
    if (next < rounds)
      emulated::copy_async(s[next % 3] + 4 * threadIdx.x, from + 128 * next + 4 * threadIdx.x,
                           true);
    emulated::copy_commit();
    sum += s[round % 3][127 - threadIdx.x];
  }
  to[threadIdx.x] = sum;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers<float>(device, 128 * 7), to = zeros<float>(device, 32);
  run(device, {.block = dim3(32)}, copies_in_three_stages, from.data(), to.data(), 7);
  expect_each(to, [](std::size_t i) { return 7 * (127 - i) + 128 * 21; });
}
