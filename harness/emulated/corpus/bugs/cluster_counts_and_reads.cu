// bug: race (
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void cluster_counts_and_reads(int* to) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  emulated::cluster_arrive();
  emulated::cluster_wait();
  if (emulated::cluster_rank() != 0)
    atomicAdd(static_cast<int*>(emulated::in_block_of_cluster(&count, 0)), 1);
  if (emulated::cluster_rank() == 0) to[threadIdx.x] = count;
  emulated::cluster_arrive();
  emulated::cluster_wait();
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 32);
  run(device, {.grid = dim3(2), .block = dim3(32), .cluster = dim3(2)}, cluster_counts_and_reads,
      to.data());
}
