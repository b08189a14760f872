#pragma once

#include "kernels/ptx/barrier.cuh"

// Copies from global to shared memory that go on while the thread does other work (PTX ISA,
// "cp.async"). A thread's copies form groups in the order of commit; other threads see them after a
// wait and a barrier.
namespace ridgeline::ptx {

/// Starts copying 16 bytes, both addresses multiples of 16; zeros are written instead unless
/// `inside` (then `from` is not read).
__device__ __forceinline__ void copy_async_16(void* to_shared, const void* from_global,
                                              bool inside) {
#if defined(__CUDACC__)
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to_shared))),
               "l"(__cvta_generic_to_global(from_global)), "r"(inside ? 16 : 0)
               : "memory");
#else
  emulated::copy_async(to_shared, from_global, inside);
#endif
}

/// The same of 4 bytes, both addresses multiples of 4; through L1.
__device__ __forceinline__ void copy_async_4(void* to_shared, const void* from_global,
                                             bool inside) {
#if defined(__CUDACC__)
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to_shared))),
               "l"(__cvta_generic_to_global(from_global)), "r"(inside ? 4 : 0)
               : "memory");
#else
  emulated::copy_async_4(to_shared, from_global, inside);
#endif
}

/// Closes a group: the copies that this thread started since the last commit.
__device__ __forceinline__ void copy_async_commit() {
#if defined(__CUDACC__)
  asm volatile("cp.async.commit_group;" ::: "memory");
#else
  emulated::copy_commit();
#endif
}

/// Waits until at most the last `groups` groups of this thread are still under way.
template <int groups>
__device__ __forceinline__ void copy_async_wait() {
#if defined(__CUDACC__)
  asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
#else
  emulated::copy_wait(groups);
#endif
}

/// Arrives at `barrier` once all copies that this thread has started are complete, which it does
/// not wait for; they are then visible as what came before an arrival is (PTX ISA,
/// "cp.async.mbarrier.arrive.noinc"; from sm_90 on). The emulated device completes them at once.
__device__ __forceinline__ void copy_async_arrive(Barrier* barrier) {
#if defined(__CUDACC__)
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(shared_address(barrier))
               : "memory");
#else
  copy_async_commit();
  copy_async_wait<0>();
  barrier_arrive(barrier);
#endif
}

}  // namespace ridgeline::ptx
