// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void one_launch_after_the_other(int* data, int from, int to) {
  data[to * 64 + static_cast<int>(threadIdx.x)] =
      data[from * 64 + 63 - static_cast<int>(threadIdx.x)] + 1;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto data = numbers(device, 128);
  for (int round = 0; round < 4; ++round)
    device::launch({.block = dim3(64)}, device.stream(), one_launch_after_the_other, data.data(),
                   round % 2, 1 - round % 2);
  device.synchronize();
}
