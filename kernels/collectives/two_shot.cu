#include "kernels/collectives/peer_meeting.cuh"
#include "kernels/collectives/peer_sums.cuh"
#include "kernels/ptx/cache_policy.cuh"

// Rank r reads part r from all ranks and writes its sums to all. Bound by the links, in both
// directions at once: 2 (ranks - 1) / ranks messages. Between two meetings: all elements are there
// and all outputs may be written; all have been read and written.
// In place, too: only rank r touches part r, and reads an element of all ranks before it writes.

namespace ridgeline::collectives::on_cuda {
namespace {

template <class Type, int ranks, int at_once>
__device__ __forceinline__ void two_shot_call(const Peers& peers, std::uint32_t vectors) {
  const int rank = rank_of_block(peers);
  const std::uint32_t part = (vectors + ranks - 1) / ranks,
                      begin = min(static_cast<std::uint32_t>(rank) * part, vectors),
                      end = min(begin + part, vectors), stride = gridDim.x * blockDim.x;
  meet<ranks>(peers, rank, 1);
  for (std::uint32_t first = begin + blockIdx.x * blockDim.x + threadIdx.x; first < end;
       first += at_once * stride) {
    uint4 sent[at_once][ranks];
#pragma unroll
    for (int one = 0; one < at_once; ++one)
#pragma unroll
      for (int from = 0; from < ranks; ++from)
        if (first + one * stride < end)
          sent[one][from] =
              ptx::load_past_l1(vectors_at(peers, from, peers.send) + first + one * stride);
#pragma unroll
    for (int one = 0; one < at_once; ++one) {
      const std::uint32_t i = first + one * stride;
      if (i >= end) continue;
      const uint4 sum = sum_of<Type>(sent[one]);
#pragma unroll
      for (int k = 0; k < ranks; ++k)  // not all ranks to the same one at once
        vectors_at(peers, (rank + k) % ranks, peers.receive)[i] = sum;
    }
  }
  meet<ranks>(peers, rank, 2);
  leave(peers, rank, 2);
}

template <class Type, int ranks, int at_once>
__global__ void __launch_bounds__(512)
    two_shot_kernel(const __grid_constant__ Peers peers, std::uint32_t vectors) {
  two_shot_call<Type, ranks, at_once>(peers, vectors);
}

}  // namespace

void enqueue_two_shot(const Peers& peers, const Problem& problem, device::Stream& stream) {
  const PeerShape shape = shape_of(Rung::two_shot, problem);
  const auto vectors = static_cast<std::uint32_t>(problem.bytes / 16);
  with_type_and_ranks(problem, [&]<class Type, int ranks>() {
    constexpr int at_once = ranks <= 4 ? 4 : 2;  // as many as fit into registers
    start(shape, peers, stream,
          shape.is_wide ? two_shot_kernel<Type, ranks, at_once> : two_shot_kernel<Type, ranks, 1>,
          vectors);
  });
}

}  // namespace ridgeline::collectives::on_cuda
