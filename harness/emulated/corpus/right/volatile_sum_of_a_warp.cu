// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// Volatile words that lanes exchange behind __syncwarp(), votes and shuffles; that a lane alone
// reads again; and of which each byte has another lane.
__global__ void volatile_sum_of_a_warp(const int* from, int* to) {
  __shared__ volatile int s[64], all_stored;
  __shared__ volatile unsigned char of_lane[32];
  const unsigned i = threadIdx.x;
  s[i] = from[i];
  s[i + 32] = from[i + 32];
  s[i] = s[i] + 0;
  all_stored = 1;
  of_lane[i] = static_cast<unsigned char>(i);
  const int own = of_lane[i] * all_stored;
  __syncwarp();
  for (unsigned step = 32; step > 0; step /= 2) {
    const int sum = s[i] + s[i + step < 64 ? i + step : i];
    if (step == 16)
      __ballot_sync(0xFFFFFFFFu, sum != 0);
    else if (step == 8)
      __shfl_sync(0xFFFFFFFFu, sum, 0);
    else
      __syncwarp();
    if (i < step) s[i] = sum;
    __syncwarp();
  }
  if (i == 0) to[0] = s[0] + own;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 64), to = zeros(device, 1);
  run(device, {.block = dim3(32)}, volatile_sum_of_a_warp, from.data(), to.data());
  expect_each(to, [](std::size_t) { return 2016; });
}
