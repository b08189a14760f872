#include "kernels/collectives/cuda/ipc/peer_access.hpp"

namespace ridgeline::collectives::on_cuda {

Variant one_shot_packets() {
  return {"every rank sends all to all in packets of 12 bytes and a number: no fence, no meeting",
          {DType::f32, DType::bf16},
          [](const Problem& problem, const device::Facts& facts) {
            return peer_support(rung_support(Rung::one_shot_packets, problem), problem, facts);
          },
          [](const Member& member) {
            return connect_peers(ipc_memory(), enqueue_one_shot_packets, member);
          },
          [](const Problem& problem) -> bool {
            return static_cast<bool>(rung_support(Rung::one_shot_packets, problem));
          }};
}

}  // namespace ridgeline::collectives::on_cuda
