// bug: race (write after read)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void race_in_cluster(int* to) {
  __shared__ int mine;
  mine = 0;
  emulated::cluster_arrive();
  emulated::cluster_wait();
  *static_cast<int*>(emulated::in_block_of_cluster(&mine, 1 - emulated::cluster_rank())) = 5;
  to[blockIdx.x] = mine;
  emulated::cluster_arrive();
  emulated::cluster_wait();
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 2);
  run(device, {.grid = dim3(2), .block = dim3(1), .cluster = dim3(2)}, race_in_cluster, to.data());
}
