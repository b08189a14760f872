#pragma once

#include "kernels/ptx/barrier.cuh"

// Copies of contiguous bytes that one thread starts and the asynchronous unit carries out (PTX ISA,
// "cp.async.bulk"; from sm_90 on). Addresses and sizes are multiples of 16.
namespace ridgeline::ptx {

/// To shared memory. Its bytes arrive at `barrier`, where they must have been announced.
__device__ __forceinline__ void copy_bulk_load(void* to_shared, const void* from_global,
                                               unsigned bytes, Barrier* barrier) {
#if defined(__CUDACC__)
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(shared_address(to_shared)),
      "l"(__cvta_generic_to_global(from_global)), "r"(bytes), "r"(shared_address(barrier))
      : "memory");
#else
  emulated::bulk_load(to_shared, from_global, bytes, barrier);
#endif
}

/// From shared memory, which must be visible to the unit: fence_async_shared().
__device__ __forceinline__ void copy_bulk_store(void* to_global, const void* from_shared,
                                                unsigned bytes) {
#if defined(__CUDACC__)
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(
                   __cvta_generic_to_global(to_global)),
               "r"(shared_address(from_shared)), "r"(bytes)
               : "memory");
#else
  emulated::bulk_store(to_global, from_shared, bytes);
#endif
}

/// Closes a group: the stores, also of tensors, that this thread started since the last commit.
__device__ __forceinline__ void copy_bulk_commit() {
#if defined(__CUDACC__)
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#else
  emulated::bulk_commit();
#endif
}

/// Waits until at most the last `groups` groups of this thread are still under way.
template <int groups>
__device__ __forceinline__ void copy_bulk_wait() {
#if defined(__CUDACC__)
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(groups) : "memory");
#else
  emulated::bulk_wait(groups);
#endif
}
/// The same, until shared memory has been read and may be used again.
template <int groups>
__device__ __forceinline__ void copy_bulk_wait_read() {
#if defined(__CUDACC__)
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(groups) : "memory");
#else
  emulated::bulk_wait(groups);
#endif
}

}  // namespace ridgeline::ptx
