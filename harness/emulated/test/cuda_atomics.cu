#include <cuda/atomic>

#include "harness/device/kernel.hpp"
#include "harness/emulated/test/cuda_atomics.hpp"

namespace ridgeline::emulated::test {
namespace {

template <bool ordered>
__global__ void hand_over_kernel(int* flag, int* data, int* to) {
  const cuda::atomic_ref<int, cuda::thread_scope_device> said(*flag);
  if (blockIdx.x == 0) {
    *data = 7;
    said.store(1, ordered ? cuda::memory_order_release : cuda::memory_order_relaxed);
  } else {
    while (said.load(ordered ? cuda::memory_order_acquire : cuda::memory_order_relaxed) == 0) {
    }
    *to = *data;
  }
}

__global__ void add_up_kernel(unsigned* sum) {
  __shared__ cuda::atomic<unsigned, cuda::thread_scope_block> of_block;
  if (threadIdx.x == 0) of_block.store(0, cuda::memory_order_relaxed);
  __syncthreads();
  of_block.fetch_add(1, cuda::memory_order_relaxed);
  __syncthreads();
  if (threadIdx.x == 0)
    cuda::atomic_ref<unsigned, cuda::thread_scope_device>(*sum).fetch_add(
        of_block.load(), cuda::memory_order_relaxed);
}

__global__ void take_numbers_kernel(unsigned long long* next, unsigned long long* to,
                                    unsigned long long* largest) {
  const cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> counter(*next),
      most(*largest);
  unsigned long long mine = counter.load(cuda::memory_order_relaxed);
  while (!counter.compare_exchange_weak(mine, mine + 1, cuda::memory_order_relaxed)) {
  }
  to[threadIdx.x] = mine;
  most.fetch_max(mine, cuda::memory_order_relaxed);
}

}  // namespace

void hand_over(device::Stream& stream, bool ordered, int* flag, int* data, int* to) {
  device::launch({.grid = dim3(2), .block = dim3(1), .resident = true}, stream,
                 ordered ? hand_over_kernel<true> : hand_over_kernel<false>, flag, data, to);
}

void add_up_by_atomics(device::Stream& stream, int blocks, unsigned* sum) {
  device::launch({.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(64)}, stream,
                 add_up_kernel, sum);
}

void take_numbers(device::Stream& stream, unsigned long long* next, unsigned long long* to,
                  unsigned long long* largest) {
  device::launch({.block = dim3(32)}, stream, take_numbers_kernel, next, to, largest);
}

}  // namespace ridgeline::emulated::test
