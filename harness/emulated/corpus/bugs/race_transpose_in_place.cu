// bug: race
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void race_transpose_in_place(float* data, int n) {
  const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  const float mine = data[y * n + x];
  data[x * n + y] = mine;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto data = numbers<float>(device, 256);
  run(device, {.block = dim3(16, 16)}, race_transpose_in_place, data.data(), 16);
}
