// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void wide_loads_with_a_tail(const float* from, float* to, int n) {
  const int i = static_cast<int>(threadIdx.x);
  if (4 * i + 3 < n) {
    const float4 four = reinterpret_cast<const float4*>(from)[i];
    reinterpret_cast<float4*>(to)[i] = make_float4(four.w, four.z, four.y, four.x);
  } else {
    for (int k = 4 * i; k < n; ++k) to[k] = from[k];
  }
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers<float>(device, 102), to = zeros<float>(device, 102);
  run(device, {.block = dim3(32)}, wide_loads_with_a_tail, from.data(), to.data(), 102);
  expect_each(to, [](std::size_t i) { return i < 100 ? i / 4 * 4 + 3 - i % 4 : i; });
}
