// bug: race (
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void cluster_reuses_what_is_read(int* to) {
  __shared__ int mine;
  int sum = 0;
  for (int round = 0; round < 2; ++round) {
    mine = round;
    emulated::cluster_arrive();
    emulated::cluster_wait();
    sum += *static_cast<int*>(emulated::in_block_of_cluster(&mine, 1 - emulated::cluster_rank()));
  }
  emulated::cluster_arrive();
  emulated::cluster_wait();
  to[blockIdx.x] = sum;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 2);
  run(device, {.grid = dim3(2), .block = dim3(1), .cluster = dim3(2)}, cluster_reuses_what_is_read,
      to.data());
}
