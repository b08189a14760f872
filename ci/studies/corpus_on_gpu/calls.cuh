#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "kernels/ptx/barrier.cuh"
#include "kernels/ptx/cluster.cuh"
#include "kernels/ptx/copy_async.cuh"
#include "kernels/ptx/copy_bulk.cuh"
#include "kernels/ptx/fence.cuh"

// The emulated device's calls that the programs of harness/emulated/corpus make, as instructions of
// a GPU, so that compute-sanitizer can watch the same programs (ci/studies/sanitize_corpus).
namespace ridgeline::emulated {

__device__ inline void barrier_init(ptx::Barrier* barrier, unsigned arrivals) {
  ptx::barrier_init(barrier, arrivals);
}

/// `bytes` are announced by the first of the arrivals.
__device__ inline void barrier_arrive(ptx::Barrier* barrier, unsigned arrivals, unsigned bytes) {
  if (bytes > 0) ptx::barrier_arrive_expect(barrier, bytes);
  for (unsigned i = bytes > 0 ? 1 : 0; i < arrivals; ++i) ptx::barrier_arrive(barrier);
}

__device__ inline void barrier_wait(ptx::Barrier* barrier, unsigned parity) {
  ptx::barrier_wait(barrier, parity);
}

__device__ inline void fence_barrier_init() { ptx::fence_barrier_init(); }

__device__ inline void bulk_load(void* to_shared, const void* from_global, unsigned bytes,
                                 ptx::Barrier* barrier) {
  ptx::copy_bulk_load(to_shared, from_global, bytes, barrier);
}

__device__ inline void bulk_store(void* to_global, const void* from_shared, unsigned bytes) {
  ptx::copy_bulk_store(to_global, from_shared, bytes);
}

__device__ inline void bulk_commit() { ptx::copy_bulk_commit(); }

__device__ inline void bulk_wait(int) { ptx::copy_bulk_wait<0>(); }

__device__ inline void copy_async(void* to_shared, const void* from_global, bool inside) {
  ptx::copy_async_16(to_shared, from_global, inside);
}

__device__ inline void copy_commit() { ptx::copy_async_commit(); }

/// Until at most `groups` are under way: 0 or 1.
__device__ inline void copy_wait(int groups) {
  if (groups == 0)
    ptx::copy_async_wait<0>();
  else
    ptx::copy_async_wait<1>();
}

__device__ inline void barrier_sync_named(int id, int count) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count) : "memory");
}

__device__ inline void barrier_arrive_named(int id, int count) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(count) : "memory");
}

__device__ inline int cluster_rank() { return static_cast<int>(ptx::cluster_rank()); }

__device__ inline int cluster_size() { return static_cast<int>(ptx::cluster_size()); }

__device__ inline void cluster_arrive() { ptx::cluster_arrive(); }

__device__ inline void cluster_wait() { ptx::cluster_wait(); }

__device__ inline void* in_block_of_cluster(void* in_shared, int rank) {
  return ptx::map_shared_rank(static_cast<char*>(in_shared), static_cast<unsigned>(rank));
}

}  // namespace ridgeline::emulated
