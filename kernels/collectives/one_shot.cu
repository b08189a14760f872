#include "kernels/collectives/peer_meeting.cuh"
#include "kernels/collectives/peer_sums.cuh"
#include "kernels/ptx/cache_policy.cuh"

// Every rank reads all ranks' elements and keeps the sums. Bound by the links: (ranks - 1) messages
// come in. Between two meetings: all elements are there, and all have been read.

namespace ridgeline::collectives::on_cuda {
namespace {

template <class Type, int ranks>
__device__ __forceinline__ void one_shot_call(const Peers& peers, std::uint32_t vectors) {
  const int rank = rank_of_block(peers);
  uint4* const sums = vectors_at(peers, rank, peers.receive);
  meet<ranks>(peers, rank, 1);
  const std::uint32_t stride = gridDim.x * blockDim.x;
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors; i += stride) {
    uint4 sent[ranks];
#pragma unroll
    for (int from = 0; from < ranks; ++from)
      sent[from] = ptx::load_past_l1(vectors_at(peers, from, peers.send) + i);
    const uint4 sum = sum_of<Type>(sent);
    sums[i] = sum;
  }
  meet<ranks>(peers, rank, 2);
  leave(peers, rank, 2);
}

template <class Type, int ranks>
__global__ void __launch_bounds__(512)
    one_shot_kernel(const __grid_constant__ Peers peers, std::uint32_t vectors) {
  one_shot_call<Type, ranks>(peers, vectors);
}

}  // namespace

void enqueue_one_shot(const Peers& peers, const Problem& problem, device::Stream& stream) {
  with_type_and_ranks(problem, [&]<class Type, int ranks>() {
    start(shape_of(Rung::one_shot, problem), peers, stream, one_shot_kernel<Type, ranks>,
          static_cast<std::uint32_t>(problem.bytes / 16));
  });
}

}  // namespace ridgeline::collectives::on_cuda
