// bug: wrong result
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void wrong_sum(const int* from, int* to) {
  int sum = from[threadIdx.x];
  for (int step = 8; step > 0; step /= 2) sum += __shfl_down_sync(0xFFFFFFFFu, sum, step);
  if (threadIdx.x == 0) *to = sum;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 32), to = zeros(device, 1);
  run(device, {.block = dim3(32)}, wrong_sum, from.data(), to.data());
  expect_each(to, [](std::size_t) { return 31 * 16; });
}
