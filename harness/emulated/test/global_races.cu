#include "harness/device/kernel.hpp"
#include "harness/emulated/test/global_races.hpp"

namespace ridgeline::emulated::test {
namespace {

__global__ void exchange_kernel(Exchange how, int* words) {
  const int thread = static_cast<int>(threadIdx.x);
  int* const flag = words + 128;
  switch (how) {
    case Exchange::barrier:
      words[thread] = thread;
      __syncthreads();
      words[64 + thread] = words[63 - thread];
      break;
    case Exchange::warp_barrier:
      words[thread] = thread;
      __syncwarp();
      words[64 + thread] = words[thread ^ 1];
      break;
    case Exchange::none:
      words[thread] = thread;
      words[64 + thread] = words[63 - thread];
      break;
    case Exchange::none_in_warp:
      words[thread] = thread;
      words[64 + thread] = words[thread ^ 1];
      break;
    case Exchange::written_twice:
      words[thread % 32] = thread;
      break;
    case Exchange::written_after_read:
      words[64 + thread] = words[63 - thread];
      words[thread] = thread;
      break;
    case Exchange::atomics:
      atomicAdd(words, 1);
      break;
    case Exchange::bytes:
      reinterpret_cast<char*>(words)[thread] = static_cast<char>(thread);
      if (reinterpret_cast<char*>(words)[thread] != thread) atomicAdd(words + 64, 1);
      break;
    // The warps of a block run in turn, the first one first, so that it has what the flag orders:
    // warp 1 reads.
    case Exchange::fences:
      if (thread < 32) {
        words[thread] = thread;
        __threadfence();
        if (thread == 0) *static_cast<volatile int*>(flag) = 1;
      } else if (*static_cast<volatile int*>(flag) == 1) {
        __threadfence();
        words[64 + thread] = words[thread - 32];
      }
      break;
    case Exchange::ordered_atomics:
      if (thread < 32) {
        words[thread] = thread;
        __syncwarp();
        if (thread == 0) __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
      } else if (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 1) {
        words[64 + thread] = words[thread - 32];
      }
      break;
    case Exchange::one_fence:
      if (thread < 32) {
        words[thread] = thread;
        if (thread == 0) *static_cast<volatile int*>(flag) = 1;
      } else if (*static_cast<volatile int*>(flag) == 1) {
        __threadfence();
        words[64 + thread] = words[thread - 32];
      }
      break;
  }
}

template <bool fenced>
__global__ void last_block_kernel(int* words, unsigned* count, int* sum) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    words[blockIdx.x] = static_cast<int>(blockIdx.x);
    if (fenced) __threadfence();
    is_last = atomicInc(count, gridDim.x - 1) == gridDim.x - 1;
    if (fenced) __threadfence();
  }
  __syncthreads();
  if (!is_last) return;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x) atomicAdd(sum, words[i]);
}

}  // namespace

void exchange_globally(device::Stream& stream, Exchange how, int* words) {
  device::launch({.block = dim3(64)}, stream, exchange_kernel, how, words);
}

void add_up_in_last_block(device::Stream& stream, int blocks, int* words, unsigned* count, int* sum,
                          bool fenced) {
  device::launch({.grid = dim3(static_cast<unsigned>(blocks)), .block = dim3(64)}, stream,
                 fenced ? last_block_kernel<true> : last_block_kernel<false>, words, count, sum);
}

}  // namespace ridgeline::emulated::test
