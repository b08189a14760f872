#include "kernels/collectives/peers.hpp"

namespace ridgeline::collectives::on_cuda {

void enqueue(Rung rung, const Peers& peers, const Problem& problem, device::Stream& stream) {
  switch (rung) {
    case Rung::one_shot:
      return enqueue_one_shot(peers, problem, stream);
    case Rung::two_shot:
      return enqueue_two_shot(peers, problem, stream);
    case Rung::two_shot_push:
      return enqueue_two_shot_push(peers, problem, stream);
    case Rung::one_shot_packets:
      return enqueue_one_shot_packets(peers, problem, stream);
    case Rung::two_shot_packets:
      return enqueue_two_shot_packets(peers, problem, stream);
  }
}

}  // namespace ridgeline::collectives::on_cuda
