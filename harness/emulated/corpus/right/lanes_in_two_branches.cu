// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void lanes_in_two_branches(int* to) {
  __shared__ int s[32];
  const unsigned lane = threadIdx.x;
  if (lane % 2 == 0) {
    s[lane] = static_cast<int>(lane);
    __syncwarp(0x55555555u);
    to[lane] = s[(lane + 2) % 32];
  } else {
    s[lane] = static_cast<int>(lane) * 2;
    __syncwarp(0xAAAAAAAAu);
    to[lane] = s[(lane + 2) % 32];
  }
  __syncwarp();
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 32);
  run(device, {.block = dim3(32)}, lanes_in_two_branches, to.data());
  expect_each(to, [](std::size_t i) { return (i + 2) % 32 * (i % 2 + 1); });
}
