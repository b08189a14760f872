#include "kernels/collectives/cuda/ipc/peer_access.hpp"

namespace ridgeline::collectives::on_cuda {

Variant two_shot() {
  return peer_variant<always<Rung::two_shot>>(
      "rank r reads part r from all ranks and writes its sums to all, between two meetings");
}

}  // namespace ridgeline::collectives::on_cuda
