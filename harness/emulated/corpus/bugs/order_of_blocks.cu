// bug: wrong result
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// Right where blocks happen to come in the order of their numbers.
__global__ void order_of_blocks(unsigned* next, unsigned* to) {
  if (threadIdx.x == 0) to[atomicAdd(next, 1u)] = blockIdx.x;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto next = zeros<unsigned>(device, 1), to = zeros<unsigned>(device, 8);
  run(device, {.grid = dim3(8), .block = dim3(32)}, order_of_blocks, next.data(), to.data());
  expect_each(to, [](std::size_t i) { return i; });
}
