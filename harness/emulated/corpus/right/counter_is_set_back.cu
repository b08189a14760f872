// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// Each launch leaves the counter as it has found it, without a fence: the counter itself says that
// all others have come.
__global__ void counter_is_set_back(unsigned* count, int* to) {
  if (threadIdx.x != 0) return;
  if (atomicAdd(count, 1u) != gridDim.x - 1) return;
  *to += 1;
  *count = 0;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto count = zeros<unsigned>(device, 1);
  const auto to = zeros(device, 1);
  for (int i = 0; i < 3; ++i)
    run(device, {.grid = dim3(5), .block = dim3(32)}, counter_is_set_back, count.data(), to.data());
  expect_each(to, [](std::size_t) { return 3; });
}
