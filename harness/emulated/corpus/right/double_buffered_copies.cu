// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void double_buffered_copies(const float* from, float* to, int rounds) {
  __shared__ float s[2][256];
  const auto start = [&](int round) {
    emulated::copy_async(s[round % 2] + 4 * threadIdx.x, from + 256 * round + 4 * threadIdx.x,
                         true);
    emulated::copy_commit();
  };
  start(0);
  float sum = 0;
  for (int round = 0; round < rounds; ++round) {
    if (round + 1 < rounds) start(round + 1);
    emulated::copy_wait(round + 1 < rounds ? 1 : 0);
    __syncthreads();
    sum += s[round % 2][255 - threadIdx.x];
    __syncthreads();
  }
  to[threadIdx.x] = sum;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers<float>(device, 256 * 5), to = zeros<float>(device, 64);
  run(device, {.block = dim3(64)}, double_buffered_copies, from.data(), to.data(), 5);
  expect_each(to, [](std::size_t i) { return 5 * (255 - i) + 2560; });
}
