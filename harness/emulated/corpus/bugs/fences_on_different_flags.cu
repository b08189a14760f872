// bug: race between blocks
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void fences_on_different_flags(int* data, volatile int* flags, int* to) {
  if (blockIdx.x == 0) {
    data[0] = 42;
    __threadfence();
    flags[0] = 1;
  } else {
    flags[1] = 1;
    __threadfence();
    to[0] = data[0];
  }
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto data = zeros(device, 1), flags = zeros(device, 2), to = zeros(device, 1);
  run(device, {.grid = dim3(2), .block = dim3(1)}, fences_on_different_flags, data.data(),
      flags.data(), to.data());
}
