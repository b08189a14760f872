// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

/// All threads of a block meet at barrier 3: some say how many they are, the others do not.
__global__ void whole_block_with_and_without_its_size(int* to) {
  __shared__ int tile[96];
  tile[threadIdx.x] = static_cast<int>(threadIdx.x);
  if (threadIdx.x < 32)
    emulated::barrier_sync_named(3);
  else
    emulated::barrier_sync_named(3, 96);
  to[threadIdx.x] = tile[95 - threadIdx.x];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 96);
  run(device, {.block = dim3(96)}, whole_block_with_and_without_its_size, to.data());
  expect_each(to, [](std::size_t i) { return 95 - static_cast<int>(i); });
}
