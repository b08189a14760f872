#include <cstddef>

#include <cuda_runtime.h>

#include "harness/device/cuda/language.cuh"
#include "kernels/peer_copy/peer_copy.hpp"

// Vendor variant: the copy engine of the GPU whose stream it is, while all SMs are free. Bound by
// the link, or by one engine where the link has room for more.
namespace ridgeline::peer_copy::on_cuda {

static void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  device::check_cuda(
      cudaMemcpyPeerAsync(operands.to, operands.to_gpu, operands.from, operands.from_gpu,
                          sizeof(float) * static_cast<std::size_t>(problem.elements),
                          static_cast<cudaStream_t>(stream.native)),
      "copying between GPUs");
}

Variant copy_engine() {
  return {"cudaMemcpyPeerAsync: a copy engine, while all SMs are free", any_direct_peer, launch};
}

}  // namespace ridgeline::peer_copy::on_cuda
