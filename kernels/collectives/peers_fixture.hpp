#pragma once

#include <string>
#include <vector>

#include "harness/device/buffer.hpp"
#include "kernels/collectives/peers.hpp"

// One device that plays all ranks: the same kernels, whose grid has a row of blocks for each rank,
// over buffers that all lie in one memory.
namespace ridgeline::collectives {

class PlayedRanks {
 public:
  using Enqueue = void (*)(const Peers&, const Problem&, device::Stream&);
  static constexpr unsigned blocks = 8;  // with room for packets

  PlayedRanks(device::Device& device, int ranks, std::size_t most_bytes)
      : device_(device), ranks_(ranks), most_((most_bytes + 255) / 256 * 256) {
    const std::vector<std::byte> zeros(packets_offset + packets_bytes(ranks, blocks));
    for (int rank = 0; rank < ranks; ++rank) {
      control_.emplace_back(device, zeros);
      data_.emplace_back(device, 3 * most_ + 256);
    }
  }

  /// One call, or several in a row of which each has new inputs; "" or what is wrong with the last.
  std::string wrong(Enqueue enqueue, const Problem& problem, std::uint64_t seed, int calls = 1) {
    const Peers peers = all(problem);
    for (int call = 0; call < calls; ++call) {
      for (auto& data : data_) data.poison();
      const Inputs inputs{seed + static_cast<std::uint64_t>(call)};
      for (int rank = 0; rank < ranks_; ++rank)
        fill_inputs(device_, problem, rank, inputs, peers.data[rank] + peers.send);
      enqueue(peers, problem, device_.stream());
    }
    device_.synchronize();
    const Inputs inputs{seed + static_cast<std::uint64_t>(calls - 1)};
    for (int rank = 0; rank < ranks_; ++rank) {
      const Deviation found =
          deviation(device_, problem, rank, peers.data[rank] + peers.receive, inputs, inputs.seed);
      if (found.first_wrong) return to_string(*found.first_wrong);
      if (!found.right()) return "not right";
    }
    return "";
  }

  Peers all(const Problem& problem) const {
    Peers peers;
    peers.computed = ranks_;
    peers.blocks = blocks;
    for (int rank = 0; rank < ranks_; ++rank) {
      peers.control[rank] = control_[rank].data();
      peers.data[rank] = data_[rank].data();
    }
    peers.staging = 2 * most_;
    peers.receive = problem.in_place ? 0 : most_;
    return peers;
  }

 private:
  device::Device& device_;
  int ranks_;
  std::size_t most_;
  std::vector<device::Buffer<std::byte>> control_, data_;
};

}  // namespace ridgeline::collectives
