#pragma once

#include "kernels/collectives/peer_meeting.cuh"

// Messages in packets. Nobody waits for anybody but for the packets themselves, and peers touch
// neither inputs nor outputs.
//
// Packets lie in rooms that calls use in turns of two. Whoever begins call n + 2 has received
// packets of call n + 1 from all others, so that all of these have read those of call n. Blocks
// have rooms and numbers of calls of their own, so that calls of different sizes may follow each
// other.
namespace ridgeline::collectives::on_cuda {

/// Behind the last packet of this block's call number `call`, which was exchanged + 1.
__device__ __forceinline__ void end_call(std::uint32_t& exchanged, std::uint32_t call) {
  __syncthreads();  // all threads have read the number of the last call
  if (threadIdx.x == 0) exchanged = call;
}

/// Room of this block at `owner` for packets from `sender`.
template <int ranks>
__device__ __forceinline__ uint4* room(const Peers& peers, int owner, int stage, std::uint32_t call,
                                       int sender) {
  const std::size_t of_call = static_cast<std::size_t>(stage) * 2 + (call & 1),
                    of_block = of_call * peers.blocks + blockIdx.x,
                    of_sender = of_block * ranks + static_cast<std::size_t>(sender);
  return reinterpret_cast<uint4*>(peers.control[owner] + packets_offset) +
         of_sender * packets_of_block;
}

/// Words that a block packs: packet j has words j, j + packets and j + 2 packets of them, so that
/// neighbours access neighbours.
struct Words {
  std::uint32_t begin, size, packets;

  __device__ __forceinline__ uint4 packed(const std::uint32_t* message, std::uint32_t j,
                                          std::uint32_t call) const {
    return {word(message, j), word(message, j + packets), word(message, j + 2 * packets), call};
  }
  __device__ __forceinline__ void unpack(std::uint32_t* message, std::uint32_t j,
                                         const uint4& packet) const {
    if (j < size) message[begin + j] = packet.x;
    if (j + packets < size) message[begin + j + packets] = packet.y;
    if (j + 2 * packets < size) message[begin + j + 2 * packets] = packet.z;
  }

 private:
  __device__ __forceinline__ std::uint32_t word(const std::uint32_t* message,
                                                std::uint32_t i) const {
    return i < size ? message[begin + i] : 0u;
  }
};

/// The part [first, last) of a message that this block packs.
__device__ __forceinline__ Words words_of_block(std::uint32_t first, std::uint32_t last,
                                                std::uint32_t packets) {
  const std::uint32_t begin = min(first + 3 * packets * blockIdx.x, last);
  return {begin, min(3 * packets, last - begin), packets};
}

/// Waits for packet j from all other ranks; packets[rank], the own one, is left as it is.
template <int ranks>
__device__ __forceinline__ void receive(const Peers& peers, int rank, int stage, std::uint32_t call,
                                        std::uint32_t j, uint4 (&packets)[ranks]) {
  ptx::Patience patience;
  for (bool is_whole = false; !is_whole; patience.lose()) {
    is_whole = true;
#pragma unroll
    for (int from = 0; from < ranks; ++from) {
      if (from == rank) continue;
      const uint4* const at = room<ranks>(peers, rank, stage, call, from) + j;
      packets[from] = ptx::load_packet(at);
      if (ptx::is_of_call(packets[from], call)) continue;
      is_whole = false;
      ptx::let_others_send(at, call);
    }
  }
}

}  // namespace ridgeline::collectives::on_cuda
