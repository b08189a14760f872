// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// Lanes have made another number of accesses each when all of them store one value: whatever is
// kept of those is full before it for one lane and behind it for others.
__global__ void one_value_behind_ragged_loops(const int* from, int* to) {
  __shared__ int any;
  int sum = 0;
  for (int i = 0; i < 240 + static_cast<int>(threadIdx.x); ++i) sum += from[i];
  any = from[271];
  to[threadIdx.x + 32] = from[threadIdx.x];
  __syncthreads();
  to[threadIdx.x] = sum < 0 ? 0 : any;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 272), to = zeros(device, 64);
  run(device, {.block = dim3(32)}, one_value_behind_ragged_loops, from.data(), to.data());
  expect_each(to, [](std::size_t i) { return i < 32 ? 271 : static_cast<int>(i) - 32; });
}
