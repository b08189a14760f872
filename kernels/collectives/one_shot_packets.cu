#include "kernels/collectives/peer_packets.cuh"
#include "kernels/collectives/peer_sums.cuh"

// Every rank sends all of its elements to all others in packets, and adds up what it receives: one
// way over a link is all that there is to wait for. A packet has a number beside three words of
// data: a third more bytes.
// In place, too: a thread reads an element before it writes it, and nobody else does either.

namespace ridgeline::collectives::on_cuda {
namespace {

template <class Type, int ranks>
__global__ void __launch_bounds__(256)
    one_shot_packets_kernel(const __grid_constant__ Peers peers, std::uint32_t words,
                            std::uint32_t packets) {
  const int rank = rank_of_block(peers);
  std::uint32_t& exchanged = meeting_of(peers, rank).exchanged[blockIdx.x];
  const std::uint32_t call = exchanged + 1;
  const Words mine = words_of_block(0, words, packets);
  const auto* const elements =
      reinterpret_cast<const std::uint32_t*>(vectors_at(peers, rank, peers.send));
  auto* const sums = reinterpret_cast<std::uint32_t*>(vectors_at(peers, rank, peers.receive));
  for (std::uint32_t j = threadIdx.x; j < packets; j += blockDim.x) {
    const uint4 packet = mine.packed(elements, j, call);
#pragma unroll
    for (int k = 1; k < ranks; ++k)
      ptx::store_packet(room<ranks>(peers, (rank + k) % ranks, 0, call, rank) + j, packet);
  }
  for (std::uint32_t j = threadIdx.x; j < packets; j += blockDim.x) {
    const uint4 own = mine.packed(elements, j, call);
    uint4 sent[ranks];
#pragma unroll
    for (int from = 0; from < ranks; ++from) sent[from] = own;
    receive<ranks>(peers, rank, 0, call, j, sent);
    mine.unpack(sums, j, sum_of<Type>(sent));
  }
  end_call(exchanged, call);
}

}  // namespace

void enqueue_one_shot_packets(const Peers& peers, const Problem& problem, device::Stream& stream) {
  const PeerShape shape = shape_of(Rung::one_shot_packets, problem);
  with_type_and_ranks(problem, [&]<class Type, int ranks>() {
    start(shape, peers, stream, one_shot_packets_kernel<Type, ranks>,
          static_cast<std::uint32_t>(problem.bytes / 4), shape.packets);
  });
}

}  // namespace ridgeline::collectives::on_cuda
