#include "kernels/collectives/cuda/ipc/peer_access.hpp"

namespace ridgeline::collectives::on_cuda {

Variant two_shot_packets() {
  return peer_variant<always<Rung::two_shot_packets>>(
      "rank r gets part r in packets and sends its sums in packets: no fence, no meeting");
}

}  // namespace ridgeline::collectives::on_cuda
