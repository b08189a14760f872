// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void shuffles_of_a_short_warp(const int* from, int* to, int n) {
  const int i = static_cast<int>(threadIdx.x);
  const unsigned mask = __ballot_sync(0xFFFFFFFFu, i < n);
  if (i < n) {
    int value = from[i];
    for (int step = 16; step > 0; step /= 2) {
      const int other = __shfl_down_sync(mask, value, step);
      if (i + step < n) value += other;
    }
    if (i == 0) *to = value;
  }
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 20), to = zeros(device, 1);
  run(device, {.block = dim3(32)}, shuffles_of_a_short_warp, from.data(), to.data(), 16);
  expect_each(to, [](std::size_t) { return 120; });
}
