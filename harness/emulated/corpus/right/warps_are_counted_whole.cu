// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

/// The last of three warps has 16 threads.
__global__ void warps_are_counted_whole(int* to) {
  __shared__ int tile[80];
  const unsigned at = threadIdx.x;
  tile[at] = static_cast<int>(at);
  emulated::barrier_sync_named(1, 96);
  to[at] = tile[79 - at];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 80);
  run(device, {.block = dim3(80)}, warps_are_counted_whole, to.data());
  expect_each(to, [](std::size_t i) { return 79 - static_cast<int>(i); });
}
