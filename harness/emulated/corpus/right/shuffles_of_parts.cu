// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void shuffles_of_parts(int* to) {
  const int lane = static_cast<int>(threadIdx.x);
  int value = lane;
  if (lane < 16) {
    for (int step = 8; step > 0; step /= 2) value += __shfl_xor_sync(0x0000FFFFu, value, step);
  } else {
    for (int step = 8; step > 0; step /= 2) value += __shfl_down_sync(0xFFFF0000u, value, step, 16);
    value = __shfl_sync(0xFFFF0000u, value, 16);
  }
  to[lane] = value;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 32);
  run(device, {.block = dim3(32)}, shuffles_of_parts, to.data());
  expect_each(to, [](std::size_t i) { return i < 16 ? 120 : 376; });
}
