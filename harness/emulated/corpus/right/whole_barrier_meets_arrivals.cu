// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

/// The producers arrive at barrier 0, which is that of __syncthreads(), and end; the consumers wait
/// at __syncthreads().
__global__ void whole_barrier_meets_arrivals(int* to) {
  __shared__ int tile[64];
  const unsigned at = threadIdx.x % 64;
  if (threadIdx.x < 64) {
    tile[at] = static_cast<int>(at);
    emulated::barrier_arrive_named(0, 128);
  } else {
    __syncthreads();
    to[at] = tile[63 - at];
  }
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 64);
  run(device, {.block = dim3(128)}, whole_barrier_meets_arrivals, to.data());
  expect_each(to, [](std::size_t i) { return 63 - static_cast<int>(i); });
}
