#include "harness/emulated/language.hpp"
#include "harness/emulated/test/resident.hpp"

namespace ridgeline::emulated::test {
namespace {

__global__ void exchange_kernel(unsigned* counter, int* written, int* to) {
  const int block = static_cast<int>(blockIdx.x), blocks = static_cast<int>(gridDim.x);
  if (threadIdx.x == 0) written[block] = block;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(counter, 1u);
    while (*static_cast<volatile unsigned*>(counter) != gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
  if (threadIdx.x == 0) to[block] = written[(block + 1) % blocks];
}

__global__ void add_up_backwards_kernel(volatile int* flags, int* sums) {
  const int block = static_cast<int>(blockIdx.x), blocks = static_cast<int>(gridDim.x);
  if (threadIdx.x != 0) return;
  int sum = block;
  if (block + 1 < blocks) {
    while (flags[block + 1] == 0) {
    }
    __threadfence();
    sum += sums[block + 1];
  }
  sums[block] = sum;
  __threadfence();
  flags[block] = 1;
}

__global__ void wait_for_flag_kernel(Forgotten forgotten, volatile int* flag, int* to) {
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    const int wanted = forgotten == Forgotten::one_arrival ? 2 : 1;
    while (*flag != wanted) {
    }
  }
  __syncthreads();
  if (threadIdx.x == 0 && blockIdx.x == 1 && forgotten != Forgotten::flag) *flag = 1;
  to[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

__global__ void wait_inside_block_kernel(int* to) {
  __shared__ int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    int seen = 0;
    while (seen == 0) seen = atomicAdd(&flag, 0);
    to[0] = seen;
  }
  if (threadIdx.x == 32) atomicExch(&flag, 5);
}

__global__ void count_under_lock_kernel(int* lock, int* to) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  atomicAdd(to, 1);
  atomicExch(lock, 0);
}

__device__ __forceinline__ void take(int* lock) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
}
__device__ __forceinline__ void give(int* lock) {
  __threadfence();
  atomicExch(lock, 0);
}

__global__ void count_by_lanes_kernel(int* lock, int* to) {
  for (bool is_done = false; !is_done;)
    if (atomicCAS(lock, 0, 1) == 0) {
      __threadfence();
      *to += 1;
      give(lock);
      is_done = true;
    }
  __syncwarp();
  if (threadIdx.x % 32 == 0) atomicAdd(to + 1, 1);
}

__global__ void count_by_warps_kernel(int* lock, int* to) {
  const unsigned lane = threadIdx.x % 32;
  for (int i = 0; i < 3; ++i) {
    if (lane == 0) take(lock);
    __syncwarp();
    to[lane] += 1;
    __syncwarp();
    if (lane == 0) give(lock);
    __syncwarp();
  }
}

__global__ void count_where_lanes_differ_kernel(int* lock, int* to) {
  const unsigned lane = threadIdx.x % 32;
  if (lane < 16) {
    if (lane == 0) take(lock);
    __syncwarp(0x0000ffff);
    to[lane] += 1;
    __syncwarp(0x0000ffff);
    if (lane == 0) give(lock);
  } else {
    if (lane == 16) take(lock + 1);
    __syncwarp(0xffff0000);
    to[lane] += 1;
    __syncwarp(0xffff0000);
    if (lane == 16) give(lock + 1);
  }
  __syncwarp();
}

__global__ void add_up_cluster_kernel(int* to, Cluster how) {
  __shared__ int mine;
  const int rank = emulated::cluster_rank(), size = emulated::cluster_size();
  if (threadIdx.x == 0) mine = static_cast<int>(blockIdx.x);
  __shared__ volatile int never;
  if (threadIdx.x == 0) never = 0;
  __syncthreads();
  if (how == Cluster::one_block_never_arrives && rank == 2)
    while (never == 0) {
    }
  emulated::cluster_arrive();
  if (how != Cluster::without_wait) emulated::cluster_wait();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int other = 0; other < size; ++other)
      sum += *static_cast<int*>(
          emulated::in_block_of_cluster(&mine, other + (how == Cluster::rank_outside ? 1 : 0)));
    to[blockIdx.x] = sum;
  }
  if (how == Cluster::without_last_barrier) return;
  if (how == Cluster::without_wait) emulated::cluster_wait();
  emulated::cluster_arrive();
  emulated::cluster_wait();
}

}  // namespace

void exchange_through_grid_barrier(device::Stream& stream, int blocks, unsigned* counter,
                                   int* written, int* to, bool resident) {
  device::launch(
      {.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(64), .resident = resident},
      stream, exchange_kernel, counter, written, to);
}

void add_up_backwards(device::Stream& stream, int blocks, volatile int* flags, int* sums) {
  device::launch({.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(32), .resident = true},
                 stream, add_up_backwards_kernel, flags, sums);
}

void wait_for_flag(device::Stream& stream, Forgotten forgotten, volatile int* flag, int* to) {
  device::launch({.grid = dim3(2), .block = dim3(64), .resident = true}, stream,
                 wait_for_flag_kernel, forgotten, flag, to);
}

void wait_inside_block(device::Stream& stream, int* to) {
  device::launch({.block = dim3(64)}, stream, wait_inside_block_kernel, to);
}

void count_under_lock(device::Stream& stream, int* lock, int* to) {
  device::launch({.block = dim3(64)}, stream, count_under_lock_kernel, lock, to);
}

void count_under_warp_lock(device::Stream& stream, WarpLock how, int blocks, int threads, int* lock,
                           int* to) {
  const auto kernel = how == WarpLock::by_lanes   ? count_by_lanes_kernel
                      : how == WarpLock::by_warps ? count_by_warps_kernel
                                                  : count_where_lanes_differ_kernel;
  device::launch({.grid = dim3(static_cast<unsigned>(blocks)),
                  .block = dim3(static_cast<unsigned>(threads)),
                  .resident = true},
                 stream, kernel, lock, to);
}

void add_up_cluster(device::Stream& stream, int blocks, int* to, Cluster how) {
  device::launch(
      {.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(64), .cluster = dim3(4)}, stream,
      add_up_cluster_kernel, to, how);
}

}  // namespace ridgeline::emulated::test
