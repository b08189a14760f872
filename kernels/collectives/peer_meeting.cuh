#pragma once

#include "kernels/collectives/peers.hpp"
#include "kernels/ptx/peer.cuh"

// Where the blocks of the same number of all ranks meet, and where the ranks' memory lies.
namespace ridgeline::collectives::on_cuda {

__device__ __forceinline__ Meeting& meeting_of(const Peers& peers, int rank) {
  return *reinterpret_cast<Meeting*>(peers.control[rank]);
}
__device__ __forceinline__ uint4* vectors_at(const Peers& peers, int rank, std::size_t offset) {
  return reinterpret_cast<uint4*>(peers.data[rank] + offset);
}
/// The rank that this block computes.
__device__ __forceinline__ int rank_of_block(const Peers& peers) {
  return peers.rank + static_cast<int>(blockIdx.y);
}

/// The meeting number `nth` of this kernel. What any of the blocks did before it is visible to all
/// behind it. Thread r tells rank r that this block has come, and waits for that of rank r.
template <int ranks>
__device__ __forceinline__ void meet(const Peers& peers, int rank, std::uint32_t nth) {
  __syncthreads();
  if (threadIdx.x < ranks) {
    const int peer = static_cast<int>(threadIdx.x);
    ptx::tell(&meeting_of(peers, peer).arrived[blockIdx.x][rank]);
    const Meeting& own = meeting_of(peers, rank);
    ptx::wait_for_count(&own.arrived[blockIdx.x][peer], own.met[blockIdx.x] + nth);
  }
  __syncthreads();
}

/// Behind the last meeting of a kernel.
__device__ __forceinline__ void leave(const Peers& peers, int rank, std::uint32_t meetings) {
  if (threadIdx.x == 0) meeting_of(peers, rank).met[blockIdx.x] += meetings;
}

}  // namespace ridgeline::collectives::on_cuda
