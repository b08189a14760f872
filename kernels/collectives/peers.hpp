#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "harness/device/stream.hpp"
#include "harness/device/support.hpp"
#include "kernels/collectives/collectives.hpp"

// all_reduce by kernels that read and write the memory of other GPUs: what all of them share.
//
// They sum in f32, in the order of ranks, and round once. So all ranks get the same bits, from
// every kernel and in every call.
namespace ridgeline::collectives {

inline constexpr int most_peers = 8;
/// Block b of a rank meets block b of the others alone: a kernel ends when all of its blocks have,
/// and no barrier of a whole GPU is needed. There are no more blocks than a GPU runs at once.
inline constexpr unsigned most_peer_blocks = 128;
inline constexpr unsigned most_peer_warps = 16 * most_peer_blocks;
/// Packets that a block has room for, of each sender.
inline constexpr unsigned packets_of_block = 2048;

/// What a rank keeps of its calls, in memory that the others reach. Zeros at first. Counts grow for
/// ever, and lie in memory because a graph that is replayed has the same arguments again.
struct Meeting {
  std::uint32_t arrived[most_peer_blocks][most_peers];  // how often block b of rank r came here
  std::uint32_t met[most_peer_blocks];              // of this rank alone: how often all have come
  std::uint32_t exchanged[most_peer_blocks];        // of this rank alone: calls with packets
  std::uint32_t sent[most_peer_warps][most_peers];  // tiles that warp w of rank r has sent here
  std::uint32_t taken[most_peer_warps];             // of this rank alone: tiles waited for
};

/// Behind the Meeting: [stage][parity][block][sender][packet], of 16 bytes.
inline constexpr std::size_t packets_offset = (sizeof(Meeting) + 255) / 256 * 256;
constexpr std::size_t packets_bytes(int ranks, unsigned blocks) {
  return std::size_t{16} * 2 * 2 * blocks * static_cast<std::size_t>(ranks) * packets_of_block;
}

/// All ranks' memory as one process sees it. Offsets are the same on all ranks.
struct Peers {
  int rank = 0;      // the first that a launch computes,
  int computed = 1;  // and how many from there on: one, but where one device plays all ranks
  unsigned blocks = most_peer_blocks;   // that have room for packets
  std::byte* control[most_peers] = {};  // the Meeting, then the packets
  std::byte* data[most_peers] = {};
  std::size_t send = 0, receive = 0, staging = 0;  // in data; staging: as long as the message
};

/// How a kernel is started: threads of a block, vectors of 16 bytes (or packets) of a thread at a
/// time, and packets of a block.
struct PeerShape {
  unsigned blocks = 1, threads = 256;
  bool is_wide = false;
  unsigned packets = 0;
};

enum class Rung { one_shot, two_shot, two_shot_push, one_shot_packets, two_shot_packets };
PeerShape shape_of(Rung rung, const Problem& problem);

/// What a rung refuses, whatever the GPUs are.
device::Support rung_support(Rung rung, const Problem& problem);
/// The rung that is taken for this size and number of ranks.
Rung rung_by_size(const Problem& problem);

namespace on_cuda {
// One call each of problem.ranks ranks; enqueued by all of them in the same order.
void enqueue_one_shot(const Peers& peers, const Problem& problem, device::Stream& stream);
void enqueue_two_shot(const Peers& peers, const Problem& problem, device::Stream& stream);
void enqueue_two_shot_push(const Peers& peers, const Problem& problem, device::Stream& stream);
void enqueue_one_shot_packets(const Peers& peers, const Problem& problem, device::Stream& stream);
void enqueue_two_shot_packets(const Peers& peers, const Problem& problem, device::Stream& stream);
void enqueue(Rung rung, const Peers& peers, const Problem& problem, device::Stream& stream);
}  // namespace on_cuda

}  // namespace ridgeline::collectives
