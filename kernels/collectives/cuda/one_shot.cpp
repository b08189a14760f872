#include "kernels/collectives/cuda/ipc/peer_access.hpp"

namespace ridgeline::collectives::on_cuda {

Variant one_shot() {
  return {
      "every rank reads all ranks' elements over the links, between two meetings",
      {DType::f32, DType::bf16},
      [](const Problem& problem, const device::Facts& facts) {
        return peer_support(rung_support(Rung::one_shot, problem), problem, facts);
      },
      [](const Member& member) { return connect_peers(ipc_memory(), enqueue_one_shot, member); },
      [](const Problem& problem) -> bool {
        return static_cast<bool>(rung_support(Rung::one_shot, problem));
      }};
}

}  // namespace ridgeline::collectives::on_cuda
