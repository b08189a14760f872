// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

/// The producers arrive at barrier 1 and say that it is of the whole block; the consumers wait
/// there for the whole block without a number of threads, or with one.
__global__ void numbered_barrier_meets_arrivals(int* to) {
  __shared__ int tile[64];
  const unsigned at = threadIdx.x % 64;
  if (threadIdx.x < 64) {
    tile[at] = static_cast<int>(at);
    emulated::barrier_arrive_named(1, 128);
  } else {
    if (threadIdx.x < 96)
      emulated::barrier_sync_named(1);
    else
      emulated::barrier_sync_named(1, 128);
    to[at] = tile[63 - at];
  }
  emulated::barrier_sync_named(2);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 64);
  run(device, {.block = dim3(128)}, numbered_barrier_meets_arrivals, to.data());
  expect_each(to, [](std::size_t i) { return 63 - static_cast<int>(i); });
}
