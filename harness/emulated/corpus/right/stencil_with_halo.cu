// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void stencil_with_halo(const int* from, int* to, int n) {
  __shared__ int s[66];
  const int i = static_cast<int>(blockIdx.x * 64 + threadIdx.x),
            at = static_cast<int>(threadIdx.x) + 1;
  s[at] = i < n ? from[i] : 0;
  if (at == 1) s[0] = i > 0 ? from[i - 1] : 0;
  if (at == 64) s[65] = i + 1 < n ? from[i + 1] : 0;
  __syncthreads();
  if (i < n) to[i] = s[at - 1] + s[at] + s[at + 1];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 200), to = zeros(device, 200);
  run(device, {.grid = dim3(4), .block = dim3(64)}, stencil_with_halo, from.data(), to.data(), 200);
  expect_each(to, [](std::size_t i) { return 3 * i + (i == 0 ? 1 : 0) - (i == 199 ? 200 : 0); });
}
