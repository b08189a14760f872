#pragma once

#include <cstdint>

#include "kernels/ptx/shared_address.cuh"

// Barriers in shared memory, at which threads and copies arrive (PTX ISA, "mbarrier"; from sm_90
// on). A barrier goes through phases: one ends when all arrivals and all bytes that were announced
// have come. Phases are told apart by their parity, 0 for the first one.
namespace ridgeline::ptx {

using Barrier = std::uint64_t;

/// Of `arrivals` threads per phase. fence_barrier_init() and a barrier of the block must follow
/// before it is used.
__device__ __forceinline__ void barrier_init(Barrier* barrier, unsigned arrivals) {
#if defined(__CUDACC__)
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
               "r"(arrivals)
               : "memory");
#else
  emulated::barrier_init(barrier, arrivals);
#endif
}

/// Ends its life: the memory may be used for anything.
__device__ __forceinline__ void barrier_invalidate(Barrier* barrier) {
#if defined(__CUDACC__)
  asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_address(barrier)) : "memory");
#else
  emulated::barrier_invalidate(barrier);
#endif
}

__device__ __forceinline__ void barrier_arrive(Barrier* barrier) {
#if defined(__CUDACC__)
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
               : "memory");
#else
  emulated::barrier_arrive(barrier, 1, 0);
#endif
}

/// Announces `bytes` bytes that copies will bring in this phase, and arrives.
__device__ __forceinline__ void barrier_arrive_expect(Barrier* barrier, unsigned bytes) {
#if defined(__CUDACC__)
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
#else
  emulated::barrier_arrive(barrier, 1, bytes);
#endif
}

/// Whether the phase of that parity has ended; what came before the arrivals is then visible.
__device__ __forceinline__ bool barrier_test(Barrier* barrier, unsigned parity) {
#if defined(__CUDACC__)
  unsigned ended;
  asm volatile(
      "{\n"
      ".reg .pred ended;\n"
      "mbarrier.test_wait.parity.shared::cta.b64 ended, [%1], %2;\n"
      "selp.u32 %0, 1, 0, ended;\n"
      "}"
      : "=r"(ended)
      : "r"(shared_address(barrier)), "r"(parity)
      : "memory");
  return ended != 0;
#else
  return emulated::barrier_test(barrier, parity);
#endif
}

/// Waits for the end of the phase of that parity.
__device__ __forceinline__ void barrier_wait(Barrier* barrier, unsigned parity) {
#if defined(__CUDACC__)
  unsigned ended;
  do {
    asm volatile(
        "{\n"
        ".reg .pred ended;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 ended, [%1], %2;\n"
        "selp.u32 %0, 1, 0, ended;\n"
        "}"
        : "=r"(ended)
        : "r"(shared_address(barrier)), "r"(parity)
        : "memory");
  } while (ended == 0);
#else
  emulated::barrier_wait(barrier, parity);
#endif
}

}  // namespace ridgeline::ptx
