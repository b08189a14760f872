// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void cluster_reduction(const int* from, int* to) {
  __shared__ int sums[4];
  __shared__ int mine;
  const int rank = emulated::cluster_rank(), size = emulated::cluster_size();
  if (threadIdx.x == 0) mine = 0;
  __syncthreads();
  atomicAdd(&mine, from[blockIdx.x * 32 + threadIdx.x]);
  __syncthreads();
  emulated::cluster_arrive();
  emulated::cluster_wait();
  if (threadIdx.x == 0) *static_cast<int*>(emulated::in_block_of_cluster(sums + rank, 0)) = mine;
  emulated::cluster_arrive();
  emulated::cluster_wait();
  if (rank == 0 && threadIdx.x == 0) {
    int sum = 0;
    for (int i = 0; i < size; ++i) sum += sums[i];
    to[blockIdx.x / 4] = sum;
  }
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 256), to = zeros(device, 2);
  run(device, {.grid = dim3(8), .block = dim3(32), .cluster = dim3(4)}, cluster_reduction,
      from.data(), to.data());
  expect_each(to, [](std::size_t i) { return i == 0 ? 127 * 64 : 127 * 64 + 128 * 128; });
}
