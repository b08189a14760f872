// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void histogram_by_block_atomics(const int* values, int* to) {
  atomicAdd_block(&to[blockIdx.x * 8 + static_cast<unsigned>(values[threadIdx.x] % 8)], 1);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto values = numbers(device, 64), to = zeros(device, 32);
  run(device, {.grid = dim3(4), .block = dim3(64)}, histogram_by_block_atomics, values.data(),
      to.data());
  expect_each(to, [](std::size_t) { return 8; });
}
