// bug: race
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void race_stencil_in_place(float* data, int n) {
  const int i = static_cast<int>(threadIdx.x);
  if (i > 0 && i < n - 1) data[i] = (data[i - 1] + data[i + 1]) / 2;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto data = numbers<float>(device, 128);
  run(device, {.block = dim3(128)}, race_stencil_in_place, data.data(), 128);
}
