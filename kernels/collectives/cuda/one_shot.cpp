#include "kernels/collectives/cuda/ipc/peer_access.hpp"

namespace ridgeline::collectives::on_cuda {

Variant one_shot() {
  return peer_variant<always<Rung::one_shot>>(
      "every rank reads all ranks' elements over the links, between two meetings");
}

}  // namespace ridgeline::collectives::on_cuda
