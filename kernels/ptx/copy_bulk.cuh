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

/// The same; L2 gives up other lines before these (evict_last).
__device__ __forceinline__ void copy_bulk_load_kept(void* to_shared, const void* from_global,
                                                    unsigned bytes, Barrier* barrier) {
#if defined(__CUDACC__)
  std::uint64_t policy;
  asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint [%0], "
      "[%1], %2, [%3], %4;" ::"r"(shared_address(to_shared)),
      "l"(__cvta_generic_to_global(from_global)), "r"(bytes), "r"(shared_address(barrier)),
      "l"(policy)
      : "memory");
#else
  copy_bulk_load(to_shared, from_global, bytes, barrier);
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

/// Adds `bytes` / 4 numbers from shared memory, which must be visible to the unit, to those at
/// `to_global`: each addition is atomic, in any order among those of others. Part of a group, as a
/// store is.
__device__ __forceinline__ void copy_bulk_add(float* to_global, const float* from_shared,
                                              unsigned bytes) {
#if defined(__CUDACC__)
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], %2;" ::"l"(
                   __cvta_generic_to_global(to_global)),
               "r"(shared_address(from_shared)), "r"(bytes)
               : "memory");
#else
  emulated::bulk_add(to_global, from_shared, bytes);
#endif
}

/// Closes a group: the stores, also of tensors, and additions, that this thread started since the
/// last commit.
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
