// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void copies_of_a_short_tail(const float* from, float* to, int n) {
  __shared__ float s[128];
  const int i = 4 * static_cast<int>(threadIdx.x);
  emulated::copy_async(s + i, from + (i < n ? i : 0), i < n);
  emulated::copy_commit();
  emulated::copy_wait(0);
  __syncthreads();
  to[threadIdx.x] = s[127 - threadIdx.x];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers<float>(device, 100), to = zeros<float>(device, 32);
  run(device, {.block = dim3(32)}, copies_of_a_short_tail, from.data(), to.data(), 100);
  expect_each(to, [](std::size_t i) { return 127 - i < 100 ? 127 - i : 0; });
}
