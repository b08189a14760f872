// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// Block 2 knows of block 0 by block 1 alone.
__global__ void order_handed_on_by_a_third_block(int* data, volatile int* flags, int* to) {
  if (blockIdx.x == 0) {
    data[0] = 42;
    __threadfence();
    flags[0] = 1;
  } else {
    while (flags[blockIdx.x - 1] == 0) {
    }
    __threadfence();
    flags[blockIdx.x] = 1;
    if (blockIdx.x == 2) to[0] = data[0];
  }
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto data = zeros(device, 1), flags = zeros(device, 3), to = zeros(device, 1);
  run(device, {.grid = dim3(3), .block = dim3(1)}, order_handed_on_by_a_third_block, data.data(),
      flags.data(), to.data());
  expect_each(to, [](std::size_t) { return 42; });
}
