#include <algorithm>

#include <fmt/core.h>

#include "kernels/collectives/peers.hpp"

namespace ridgeline::collectives {
namespace {

constexpr std::int64_t kib = 1 << 10, mib = 1 << 20;
/// Longer messages than these gain nothing over NCCL, and their buffers stay allocated.
constexpr std::int64_t longest = 1024 * mib;

unsigned blocks(std::int64_t items, std::int64_t of_block, std::int64_t most) {
  return static_cast<unsigned>(
      std::clamp<std::int64_t>((items + of_block - 1) / of_block, 1, most));
}

bool has_packets(Rung rung) {
  return rung == Rung::one_shot_packets || rung == Rung::two_shot_packets;
}

}  // namespace

PeerShape shape_of(Rung rung, const Problem& problem) {
  const std::int64_t bytes = problem.bytes, ranks = problem.ranks, vectors = bytes / 16;
  const bool is_wide = bytes >= 2 * mib;
  switch (rung) {
    case Rung::one_shot:
      return {blocks(vectors, 512, most_peer_blocks), 512};
    case Rung::two_shot:
      if (is_wide) return {bytes < 4 * mib ? 48u : 96u, 512, true};
      return {blocks(vectors / ranks, 256, 64), 256};
    case Rung::two_shot_push:
      return {blocks(vectors / ranks / (is_wide ? 4 : 1), 512, most_peer_blocks), 512, is_wide};
    case Rung::one_shot_packets:
    case Rung::two_shot_packets:
      break;
  }
  // A packet carries three words.
  std::int64_t words = (bytes + 3) / 4;
  if (rung == Rung::two_shot_packets) words = (words + ranks - 1) / ranks;
  PeerShape shape{blocks((words + 2) / 3, 256, most_peer_blocks), 256};
  const std::int64_t per_packet = std::int64_t{3} * shape.blocks;
  const std::int64_t of_block = (words + per_packet - 1) / per_packet;
  shape.packets = static_cast<unsigned>((of_block + 7) / 8 * 8);
  return shape;
}

device::Support rung_support(Rung rung, const Problem& problem) {
  const auto no = [](std::string reason) {
    return device::Support::unsupported(std::move(reason));
  };
  if (problem.operation != Operation::all_reduce || problem.reduction != Reduction::sum)
    return no("does all_reduce of sums alone");
  if (problem.dtype != DType::f32 && problem.dtype != DType::bf16)
    return no(fmt::format("does not sum {}", to_string(problem.dtype)));
  if (problem.ranks != 2 && problem.ranks != 4 && problem.ranks != 8)
    return no(fmt::format("is written for 2, 4 and 8 ranks, not for {}", problem.ranks));
  device::Support common = common_support(problem);
  if (!common) return common;
  const std::int64_t unit = has_packets(rung) ? 4 : 16;
  if (problem.bytes % unit != 0)
    return no(fmt::format("{} bytes are no multiple of the {} that it moves at a time",
                          problem.bytes, unit));
  if (problem.bytes > longest)
    return no(fmt::format("{} bytes are more than the {} that it is for", problem.bytes, longest));
  if (has_packets(rung) && shape_of(rung, problem).packets > packets_of_block)
    return no(fmt::format("{} bytes are more than there is room for in packets", problem.bytes));
  if (rung == Rung::one_shot && problem.in_place)
    return no("in place, it would write sums over what other ranks still read");
  return device::Support::yes();
}

/// For two ranks, packets up to the largest measured size at which they won on two H200 (1 MiB; at
/// 2 MiB, two_shot was 1.1 times as fast). Four and eight never ran: their borders come from
/// earlier measurements of such kernels on four H200, by what a link carries.
Rung rung_by_size(const Problem& problem) {
  const std::int64_t others = problem.ranks - 1, to_all = problem.bytes * others,
                     in_parts = 2 * to_all / problem.ranks;
  if (to_all <= (problem.ranks == 2 ? mib : 400 * kib)) return Rung::one_shot_packets;
  // What does not come out even in vectors can only go in packets.
  if (problem.bytes % 16 != 0) return Rung::two_shot_packets;
  if (problem.ranks != 2 && in_parts <= 800 * kib) return Rung::two_shot_packets;
  return in_parts <= 12 * mib ? Rung::two_shot : Rung::two_shot_push;
}

}  // namespace ridgeline::collectives
