#include <cuda/atomic>

#include "harness/device/kernel.hpp"
#if !defined(__CUDACC__)
#include "harness/emulated/library_atomics.hpp"
#endif
#include "harness/emulated/test/cuda_atomics.hpp"

namespace ridgeline::emulated::test {
namespace {

template <bool ordered, cuda::thread_scope scope = cuda::thread_scope_device>
__global__ void hand_over_kernel(int* flag, int* data, int* to) {
  const cuda::atomic_ref<int, scope> said(*flag);
  if (blockIdx.x == 0) {
    *data = 7;
    said.store(1, ordered ? cuda::memory_order_release : cuda::memory_order_relaxed);
  } else {
    while (said.load(ordered ? cuda::memory_order_acquire : cuda::memory_order_relaxed) == 0) {
    }
    *to = *data;
  }
}

/// The same by two warps of a block.
__global__ void hand_over_inside_kernel(int* flag, int* data, int* to) {
  const cuda::atomic_ref<int, cuda::thread_scope_block> said(*flag);
  if (threadIdx.x == 0) {
    *data = 7;
    said.store(1, cuda::memory_order_release);
  } else if (threadIdx.x == 32) {
    while (said.load(cuda::memory_order_acquire) == 0) {
    }
    *to = *data;
  }
}

/// Each thread of two blocks does every update once.
template <class T, cuda::thread_scope scope>
__global__ void update_kernel(T* sum, T* at) {
  const cuda::atomic_ref<T, scope> all(*sum), word(at[blockIdx.x]);
  word.fetch_add(1, cuda::memory_order_relaxed);
  word.fetch_sub(1, cuda::memory_order_relaxed);
  word.fetch_max(0, cuda::memory_order_relaxed);
  T seen = word.exchange(1, cuda::memory_order_relaxed);
  word.compare_exchange_strong(seen, seen, cuda::memory_order_relaxed);
  all.fetch_add(1, cuda::memory_order_relaxed);
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

/// As cuda::barrier of a block where there is no mbarrier: arrivals are counted down, and the last
/// one begins the next phase.
class Barrier {
 public:
  __device__ __forceinline__ void begin(int threads) {
    expected_ = threads;
    missing_.store(threads, cuda::memory_order_relaxed);
    phase_.store(0, cuda::memory_order_relaxed);
  }
  __device__ __forceinline__ int arrive() {
    const int phase = phase_.load(cuda::memory_order_acquire);
    if (missing_.fetch_sub(1, cuda::memory_order_acq_rel) == 1) {
      missing_.store(expected_, cuda::memory_order_relaxed);
      phase_.store(phase + 1, cuda::memory_order_release);
    }
    return phase;
  }
  __device__ __forceinline__ void wait(int phase) {
    while (phase_.load(cuda::memory_order_acquire) == phase) __nanosleep(20);
  }

 private:
  cuda::atomic<int, cuda::thread_scope_block> missing_, phase_;
  int expected_;
};

__global__ void pass_round_kernel(int rounds, int* to) {
  __shared__ Barrier barrier;
  __shared__ int values[2][128];
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  if (thread == 0) barrier.begin(threads);
  values[0][thread] = thread;
  __syncthreads();
  for (int round = 0; round < rounds; ++round) {
    values[(round + 1) % 2][thread] = values[round % 2][(thread + 1) % threads];
    barrier.wait(barrier.arrive());
    __syncwarp();
  }
  to[thread] = values[rounds % 2][thread];
}

}  // namespace

void pass_round(device::Stream& stream, int threads, int rounds, int* to) {
  device::launch({.block = dim3(static_cast<unsigned>(threads))}, stream, pass_round_kernel, rounds,
                 to);
}

void hand_over(device::Stream& stream, bool ordered, int* flag, int* data, int* to) {
  device::launch({.grid = dim3(2), .block = dim3(1), .resident = true}, stream,
                 ordered ? hand_over_kernel<true> : hand_over_kernel<false>, flag, data, to);
}

void hand_over_in_block(device::Stream& stream, int blocks, int* flag, int* data, int* to) {
  device::launch(
      {.grid = dim3(static_cast<unsigned>(blocks)),
       .block = dim3(blocks == 1 ? 64 : 1),
       .resident = true},
      stream,
      blocks == 1 ? hand_over_inside_kernel : hand_over_kernel<true, cuda::thread_scope_block>,
      flag, data, to);
}

void update_all(device::Stream& stream, bool of_block, float* sum, float* at) {
  device::launch({.grid = dim3(2), .block = dim3(32)}, stream,
                 of_block ? update_kernel<float, cuda::thread_scope_block>
                          : update_kernel<float, cuda::thread_scope_device>,
                 sum, at);
}
void update_all(device::Stream& stream, bool of_block, int* sum, int* at) {
  device::launch({.grid = dim3(2), .block = dim3(32)}, stream,
                 of_block ? update_kernel<int, cuda::thread_scope_block>
                          : update_kernel<int, cuda::thread_scope_device>,
                 sum, at);
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
