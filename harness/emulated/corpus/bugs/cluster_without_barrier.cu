// bug: shared memory of a block that has
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void cluster_without_barrier(int* to) {
  __shared__ int mine;
  if (threadIdx.x == 0) mine = static_cast<int>(blockIdx.x);
  __syncthreads();
  const int other = 1 - emulated::cluster_rank();
  if (threadIdx.x == 0)
    to[blockIdx.x] = *static_cast<int*>(emulated::in_block_of_cluster(&mine, other));
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 2);
  run(device, {.grid = dim3(2), .block = dim3(32), .cluster = dim3(2)}, cluster_without_barrier,
      to.data());
}
