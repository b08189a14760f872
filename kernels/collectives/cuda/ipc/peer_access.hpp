#pragma once

#include <string_view>

#include "harness/device/facts.hpp"
#include "kernels/collectives/peer_ranks.hpp"

// Other GPUs' memory by CUDA's runtime.
namespace ridgeline::collectives::on_cuda {

/// `rung`, and that the problem's ranks have as many GPUs, which reach each other's memory.
device::Support peer_support(const device::Support& rung, const Problem& problem,
                             const device::Facts& facts);

/// Memory of the current GPU that other processes reach by CUDA's IPC handles.
const PeerMemory& ipc_memory();

/// The variant whose calls are those of the rung that `rung` names for a problem.
template <Rung (*rung)(const Problem&)>
Variant peer_variant(std::string_view idea) {
  return {idea,
          {DType::f32, DType::bf16},
          [](const Problem& problem, const device::Facts& facts) {
            return peer_support(rung_support(rung(problem), problem), problem, facts);
          },
          [](const Member& member) {
            return connect_peers(
                ipc_memory(),
                [](const Peers& peers, const Problem& problem, device::Stream& stream) {
                  enqueue(rung(problem), peers, problem, stream);
                },
                member);
          },
          [](const Problem& problem) -> bool {
            return static_cast<bool>(rung_support(rung(problem), problem));
          }};
}
template <Rung rung>
Rung always(const Problem&) {
  return rung;
}

}  // namespace ridgeline::collectives::on_cuda
