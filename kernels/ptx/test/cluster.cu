#include "harness/device/kernel.hpp"
#include "kernels/ptx/cluster.cuh"
#include "kernels/ptx/test/cluster.hpp"

namespace ridgeline::ptx::test {
namespace {

__global__ void read_neighbours_kernel(int* to) {
  __shared__ int held;
  RIDGELINE_DYNAMIC_SHARED(int, dynamic);
  const int block = static_cast<int>(blockIdx.x);
  if (threadIdx.x == 0) {
    held = 100 + block;
    dynamic[3] = 1000 + block;
  }
  cluster_arrive();
  cluster_wait();
  if (threadIdx.x == 0) {
    const unsigned behind = (cluster_rank() + 1) % cluster_size();
    to[2 * block] = *map_shared_rank(&held, behind);
    to[2 * block + 1] = map_shared_rank(dynamic, behind)[3];
  }
  cluster_arrive();  // no block ends while another one reads its memory
  cluster_wait();
}

__global__ void meet_kernel(unsigned* counter, unsigned* to) {
  if (threadIdx.x != 0) return;
  const unsigned all = gridDim.x * (gridDim.x + 1) / 2;
  atomicAdd(counter, blockIdx.x + 1);
  unsigned seen = 0;
  while (seen != all) seen = *static_cast<volatile unsigned*>(counter);
  to[blockIdx.x] = seen;
}

}  // namespace

void read_neighbours(device::Stream& stream, int blocks, int* to) {
  device::launch({.grid = dim3(static_cast<unsigned>(blocks)),
                  .block = dim3(64),
                  .shared_bytes = 64,
                  .cluster = dim3(4)},
                 stream, read_neighbours_kernel, to);
}

void meet(device::Stream& stream, int blocks, unsigned* counter, unsigned* to) {
  device::launch({.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(64), .resident = true},
                 stream, meet_kernel, counter, to);
}

}  // namespace ridgeline::ptx::test
