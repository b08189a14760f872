// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void roles_of_warps(const int* from, int* to) {
  __shared__ int s[2][32];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp == 0) s[0][lane] = from[lane];
  if (warp == 1) s[1][lane] = from[32 + lane];
  __syncthreads();
  if (warp == 2) to[lane] = s[0][lane] + s[1][31 - lane];
  if (warp == 3) to[32 + lane] = s[1][lane] - s[0][lane];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 64), to = zeros(device, 64);
  run(device, {.block = dim3(128)}, roles_of_warps, from.data(), to.data());
  expect_each(to, [](std::size_t i) { return i < 32 ? 63 : 32; });
}
