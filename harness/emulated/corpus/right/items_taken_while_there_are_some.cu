// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// Whoever sees that there are none left does not ask the counter.
__global__ void items_taken_while_there_are_some(int* left, int* taken) {
  if (*left > 0 && atomicSub(left, 1) > 0) atomicAdd(taken, 1);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const device::Buffer<int> left(device, std::vector<int>{40});
  const auto taken = zeros(device, 1);
  run(device, {.grid = dim3(4), .block = dim3(32)}, items_taken_while_there_are_some, left.data(),
      taken.data());
  expect_each(taken, [](std::size_t) { return 40; });
}
