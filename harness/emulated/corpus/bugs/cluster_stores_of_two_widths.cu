// bug: race (write after write)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void stores_of_two_widths(int* to) {
  __shared__ __align__(8) int mine[2];
  mine[0] = mine[1] = 0;
  emulated::cluster_arrive();
  emulated::cluster_wait();
  void* const first = emulated::in_block_of_cluster(mine, 0);
  if (emulated::cluster_rank() == 1) *static_cast<long long*>(first) = 7;
  if (emulated::cluster_rank() == 2) static_cast<int*>(first)[1] = 5;
  emulated::cluster_arrive();
  emulated::cluster_wait();
  if (emulated::cluster_rank() == 0) to[0] = mine[1];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 1);
  run(device, {.grid = dim3(3), .block = dim3(1), .cluster = dim3(3)}, stores_of_two_widths,
      to.data());
}
