// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// No order is needed for a flag that everybody sets; it is noted.
__global__ void one_value_by_all_blocks(const int* from, int* found) {
  if (from[blockIdx.x * blockDim.x + threadIdx.x] % 7 == 3) *found = 1;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 256), found = zeros(device, 1);
  run(device, {.grid = dim3(4), .block = dim3(64)}, one_value_by_all_blocks, from.data(),
      found.data());
  expect_each(found, [](std::size_t) { return 1; });
}
