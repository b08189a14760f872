#include "kernels/collectives/cuda/ipc/peer_access.hpp"

// Its calls are those of the rung that rung_by_size() names, which is fixed by the problem: no
// measurement and no failure makes it another one.
namespace ridgeline::collectives::on_cuda {

Variant rung_by_size() {
  return {"one of the other kernels over peer memory, by the size and the number of ranks",
          {DType::f32, DType::bf16},
          [](const Problem& problem, const device::Facts& facts) {
            return peer_support(rung_support(collectives::rung_by_size(problem), problem), problem,
                                facts);
          },
          [](const Member& member) {
            return connect_peers(
                ipc_memory(),
                [](const Peers& peers, const Problem& problem, device::Stream& stream) {
                  enqueue(collectives::rung_by_size(problem), peers, problem, stream);
                },
                member);
          },
          [](const Problem& problem) -> bool {
            return static_cast<bool>(rung_support(collectives::rung_by_size(problem), problem));
          }};
}

}  // namespace ridgeline::collectives::on_cuda
