// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// In the memory of the other block, with fences on both sides.
__global__ void cluster_hands_over_by_a_flag(int* to) {
  __shared__ int value, flag;
  if (threadIdx.x == 0) flag = 0;
  emulated::cluster_arrive();
  emulated::cluster_wait();
  if (emulated::cluster_rank() == 0 && threadIdx.x == 0) {
    *static_cast<int*>(emulated::in_block_of_cluster(&value, 1)) = 7;
    __threadfence();
    atomicExch(static_cast<int*>(emulated::in_block_of_cluster(&flag, 1)), 1);
  }
  if (emulated::cluster_rank() == 1 && threadIdx.x == 0) {
    while (atomicAdd(&flag, 0) == 0) {
    }
    __threadfence();
    *to = value;
  }
  emulated::cluster_arrive();
  emulated::cluster_wait();
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 1);
  run(device, {.grid = dim3(2), .block = dim3(32), .cluster = dim3(2)},
      cluster_hands_over_by_a_flag, to.data());
  expect_each(to, [](std::size_t) { return 7; });
}
