#include "harness/device/kernel.hpp"
#include "kernels/ptx/add.cuh"
#include "kernels/ptx/copy_bulk.cuh"
#include "kernels/ptx/fence.cuh"
#include "kernels/ptx/test/additions.hpp"

namespace ridgeline::ptx::test {
namespace {

__global__ void add_kernel(float* sums, int count) {
  __shared__ __align__(16) float mine[1024];
  for (int i = static_cast<int>(threadIdx.x); i < count; i += 64)
    mine[i] = static_cast<float>(blockIdx.x + 1);
  fence_async_shared();
  __syncthreads();
  if (threadIdx.x != 0) return;
  const int half = count / 8 * 4;
  copy_bulk_add(sums, mine, static_cast<unsigned>(half) * 4);
  copy_bulk_add(sums + half, mine + half, static_cast<unsigned>(count - half) * 4);
  copy_bulk_commit();
  copy_bulk_wait<0>();
}

__global__ void add_fours_kernel(float* sums, int fours) {
  const auto mine = static_cast<float>(blockIdx.x + 1);
  for (int i = static_cast<int>(threadIdx.x); i < fours; i += 64)
    add_4(sums + 4 * i, make_float4(mine, 2 * mine, 3 * mine, 4 * mine));
}

}  // namespace

void add_fours_from_blocks(device::Stream& stream, int blocks, float* sums, int fours) {
  device::launch({.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(64)}, stream,
                 add_fours_kernel, sums, fours);
}

void add_from_blocks(device::Stream& stream, int blocks, float* sums, int count) {
  device::launch({.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(64)}, stream,
                 add_kernel, sums, count);
}

}  // namespace ridgeline::ptx::test
