// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void byte_neighbours_in_a_block(char* to) {
  __shared__ char s[64];
  s[threadIdx.x] = static_cast<char>(threadIdx.x);
  s[threadIdx.x] = static_cast<char>(s[threadIdx.x] + 1);
  __syncthreads();
  to[threadIdx.x] = s[63 - threadIdx.x];
  to[threadIdx.x] = static_cast<char>(to[threadIdx.x] + 1);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros<char>(device, 64);
  run(device, {.block = dim3(64)}, byte_neighbours_in_a_block, to.data());
  expect_each(to, [](std::size_t i) { return 65 - i; });
}
