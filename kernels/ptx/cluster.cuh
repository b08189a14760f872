#pragma once

#include "harness/device/kernel.hpp"
#include "kernels/ptx/barrier.cuh"

// Thread-block clusters of compute capability 9.0: blocks that run together, wait for each other
// and reach each other's shared memory (PTX ISA, "barrier.cluster", "mapa"). LaunchConfig::cluster
// says how many blocks have one.
namespace ridgeline::ptx {

/// The block's place in its cluster, x first.
__device__ __forceinline__ unsigned cluster_rank() {
#if defined(__CUDACC__)
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
#else
  return static_cast<unsigned>(emulated::cluster_rank());
#endif
}

/// Blocks of a cluster.
__device__ __forceinline__ unsigned cluster_size() {
#if defined(__CUDACC__)
  unsigned size;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  return size;
#else
  return static_cast<unsigned>(emulated::cluster_size());
#endif
}

/// Says that this thread has come to the cluster's barrier; what it wrote before is seen by those
/// that wait for it.
__device__ __forceinline__ void cluster_arrive() {
#if defined(__CUDACC__)
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#else
  emulated::cluster_arrive();
#endif
}

/// The same, of nothing but mbarriers that this thread has initialised and fence_barrier_init() has
/// made known: without the fence of the whole GPU that the other one needs.
__device__ __forceinline__ void cluster_arrive_relaxed() {
#if defined(__CUDACC__)
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
#else
  emulated::cluster_arrive_relaxed();
#endif
}

/// Waits until all threads of the cluster that have not ended have come to its barrier.
__device__ __forceinline__ void cluster_wait() {
#if defined(__CUDACC__)
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#else
  emulated::cluster_wait();
#endif
}

/// What lies at `in_shared`, in this block's shared memory, in that of block `rank` of the cluster:
/// a pointer that loads, stores and atomics understand. That block must have begun (a barrier says
/// so) and not ended.
template <class T>
__device__ __forceinline__ T* map_shared_rank(T* in_shared, unsigned rank) {
#if defined(__CUDACC__)
  T* there;
  asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(in_shared), "r"(rank));
  return there;
#else
  return static_cast<T*>(emulated::in_block_of_cluster(in_shared, static_cast<int>(rank)));
#endif
}

/// Arrives at the mbarrier at the same place in block `rank` of the cluster, which may be this one.
/// It hands over that work is complete which this thread has waited for, such as products or
/// copies; what the thread stored itself is not: `.release.cluster` would do that, by a fence of
/// the whole GPU, which takes about a microsecond.
__device__ __forceinline__ void barrier_arrive_at(Barrier* barrier, unsigned rank) {
#if defined(__CUDACC__)
  asm volatile(
      "{\n"
      ".reg .b32 there;\n"
      "mapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
      "}" ::"r"(shared_address(barrier)),
      "r"(rank)
      : "memory");
#else
  emulated::barrier_arrive_at(barrier, static_cast<int>(rank));
#endif
}

/// Stores `value` at the same place in block `rank` of the cluster, which may be this one, and
/// tells that block's `barrier` that 16 bytes have come, which must have been announced there (PTX
/// ISA, "st.async"). Who waits at the barrier sees them: no fence is needed, nor a barrier of the
/// cluster.
__device__ __forceinline__ void store_async_at(float4* at, const float4& value, Barrier* barrier,
                                               unsigned rank) {
#if defined(__CUDACC__)
  asm volatile(
      "{\n"
      ".reg .b32 there, told;\n"
      "mapa.shared::cluster.u32 there, %0, %2;\n"
      "mapa.shared::cluster.u32 told, %1, %2;\n"
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.f32 "
      "[there], {%3, %4, %5, %6}, [told];\n"
      "}" ::"r"(shared_address(at)),
      "r"(shared_address(barrier)), "r"(rank), "f"(value.x), "f"(value.y), "f"(value.z),
      "f"(value.w)
      : "memory");
#else
  *map_shared_rank(at, rank) = value;
  emulated::barrier_complete_at(barrier, static_cast<int>(rank), sizeof(value));
#endif
}

}  // namespace ridgeline::ptx
