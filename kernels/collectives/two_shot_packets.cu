#include "kernels/collectives/peer_packets.cuh"
#include "kernels/collectives/peer_sums.cuh"

// Every rank sends part r of its elements to rank r in packets, which adds them up and sends the
// sums to all: two ways over a link, and 2 / ranks of the bytes of one_shot_packets.
// In place, too: sums of a part come from the rank that has received what was sent of it.

namespace ridgeline::collectives::on_cuda {
namespace {

template <class Type, int ranks>
__global__ void __launch_bounds__(256)
    two_shot_packets_kernel(const __grid_constant__ Peers peers, std::uint32_t words,
                            std::uint32_t packets) {
  const int rank = rank_of_block(peers);
  std::uint32_t& exchanged = meeting_of(peers, rank).exchanged[blockIdx.x];
  const std::uint32_t call = exchanged + 1, part = (words + ranks - 1) / ranks;
  const auto of_part = [&](int of) {
    const std::uint32_t first = min(static_cast<std::uint32_t>(of) * part, words);
    return words_of_block(first, min(first + part, words), packets);
  };
  const auto* const elements =
      reinterpret_cast<const std::uint32_t*>(vectors_at(peers, rank, peers.send));
  auto* const sums = reinterpret_cast<std::uint32_t*>(vectors_at(peers, rank, peers.receive));
  for (std::uint32_t j = threadIdx.x; j < packets; j += blockDim.x) {
#pragma unroll
    for (int k = 1; k < ranks; ++k) {
      const int peer = (rank + k) % ranks;
      ptx::store_packet(room<ranks>(peers, peer, 0, call, rank) + j,
                        of_part(peer).packed(elements, j, call));
    }
  }
  const Words mine = of_part(rank);
  for (std::uint32_t j = threadIdx.x; j < packets; j += blockDim.x) {
    const uint4 own = mine.packed(elements, j, call);
    uint4 sent[ranks];
#pragma unroll
    for (int from = 0; from < ranks; ++from) sent[from] = own;
    receive<ranks>(peers, rank, 0, call, j, sent);
    uint4 sum = sum_of<Type>(sent);
    sum.w = call;
#pragma unroll
    for (int k = 1; k < ranks; ++k)
      ptx::store_packet(room<ranks>(peers, (rank + k) % ranks, 1, call, rank) + j, sum);
    mine.unpack(sums, j, sum);
  }
  for (std::uint32_t j = threadIdx.x; j < packets; j += blockDim.x) {
    uint4 received[ranks];
    receive<ranks>(peers, rank, 1, call, j, received);
#pragma unroll
    for (int from = 0; from < ranks; ++from)
      if (from != rank) of_part(from).unpack(sums, j, received[from]);
  }
  end_call(exchanged, call);
}

}  // namespace

void enqueue_two_shot_packets(const Peers& peers, const Problem& problem, device::Stream& stream) {
  const PeerShape shape = shape_of(Rung::two_shot_packets, problem);
  with_type_and_ranks(problem, [&]<class Type, int ranks>() {
    start(shape, peers, stream, two_shot_packets_kernel<Type, ranks>,
          static_cast<std::uint32_t>(problem.bytes / 4), shape.packets);
  });
}

}  // namespace ridgeline::collectives::on_cuda
