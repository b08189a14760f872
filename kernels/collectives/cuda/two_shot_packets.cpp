#include "kernels/collectives/cuda/ipc/peer_access.hpp"

namespace ridgeline::collectives::on_cuda {

Variant two_shot_packets() {
  return {"rank r gets part r in packets and sends its sums in packets: no fence, no meeting",
          {DType::f32, DType::bf16},
          [](const Problem& problem, const device::Facts& facts) {
            return peer_support(rung_support(Rung::two_shot_packets, problem), problem, facts);
          },
          [](const Member& member) {
            return connect_peers(ipc_memory(), enqueue_two_shot_packets, member);
          },
          [](const Problem& problem) -> bool {
            return static_cast<bool>(rung_support(Rung::two_shot_packets, problem));
          }};
}

}  // namespace ridgeline::collectives::on_cuda
