// bug: out of bounds (global)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void oob_wide_load(const float4* from, float* to, int n) {
  const int i = static_cast<int>(threadIdx.x);
  if (4 * i < n) {
    const float4 four = from[i];
    to[i] = four.x + four.y + four.z + four.w;
  }
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = zeros<float>(device, 101), to = zeros<float>(device, 32);
  run(device, {.block = dim3(32)}, oob_wide_load, reinterpret_cast<const float4*>(from.data()),
      to.data(), 101);
}
