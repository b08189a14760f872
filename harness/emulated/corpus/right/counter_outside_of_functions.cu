// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__device__ unsigned come_to_counter_outside_of_functions;
__global__ void counter_outside_of_functions(int* to) {
  if (atomicAdd(&come_to_counter_outside_of_functions, 1u) == gridDim.x * blockDim.x - 1) {
    *to = 7;
    come_to_counter_outside_of_functions = 0;
  }
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 1);
  run(device, {.grid = dim3(4), .block = dim3(32)}, counter_outside_of_functions, to.data());
  expect_each(to, [](std::size_t) { return 7; });
}
