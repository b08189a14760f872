#include "kernels/divergence/cuda/paths.cuh"

// As by_lane, but all lanes of a warp take the same path, and neighbouring warps different ones.
// Bound by the latency of a chain of multiply-adds, however many ways there are, as far as all
// paths fit the instruction caches.
namespace ridgeline::divergence::on_cuda {

Variant by_warp() {
  return {"all lanes of a warp take the same path, neighbouring warps different ones",
          Grouping::by_warp, up_to_32_ways, launch<Grouping::by_warp>, traffic<Grouping::by_warp>};
}

}  // namespace ridgeline::divergence::on_cuda
