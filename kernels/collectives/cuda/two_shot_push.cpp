#include "kernels/collectives/cuda/ipc/peer_access.hpp"

namespace ridgeline::collectives::on_cuda {

Variant two_shot_push() {
  return {"as two_shot, but tiles are written to who adds them up, and nothing is read over a link",
          {DType::f32, DType::bf16},
          [](const Problem& problem, const device::Facts& facts) {
            return peer_support(rung_support(Rung::two_shot_push, problem), problem, facts);
          },
          [](const Member& member) {
            return connect_peers(ipc_memory(), enqueue_two_shot_push, member);
          },
          [](const Problem& problem) -> bool {
            return static_cast<bool>(rung_support(Rung::two_shot_push, problem));
          }};
}

}  // namespace ridgeline::collectives::on_cuda
