#pragma once

#include "kernels/ptx/shared_address.cuh"

// Order between threads and the asynchronous unit, which copies (copy_bulk.cuh, copy_tensor.cuh)
// and multiplies (wgmma.cuh) beside them (PTX ISA, "membar/fence", ".proxy.async"; from sm_90 on).
namespace ridgeline::ptx {

/// Makes what this thread stored to shared memory, and what others did that it knows of, visible to
/// the unit; a barrier must follow before another thread puts the unit to work.
__device__ __forceinline__ void fence_async_shared() {
#if defined(__CUDACC__)
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#else
  emulated::fence_async();
#endif
}

/// Orders what the unit did in global memory for this thread, which has waited for it, and what
/// this thread knows that it did for others, before what follows: a fence of threads stands beside
/// it.
__device__ __forceinline__ void fence_async_global() {
#if defined(__CUDACC__)
  asm volatile("fence.proxy.async.global;" ::: "memory");
#endif
}

/// Makes mbarriers that this thread has initialised known to the unit.
__device__ __forceinline__ void fence_barrier_init() {
#if defined(__CUDACC__)
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
#else
  emulated::fence_barrier_init();
#endif
}

}  // namespace ridgeline::ptx
