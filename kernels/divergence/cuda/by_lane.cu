#include "kernels/divergence/cuda/paths.cuh"

// Neighbouring lanes take different paths, so that each warp takes all of them, one after the
// other, with the other lanes idle. Bound by issuing: `ways` times as many instructions for the
// same work, and as many requests.
namespace ridgeline::divergence::on_cuda {

Variant by_lane() {
  return {"neighbouring lanes take different paths: a warp takes them one after the other",
          Grouping::by_lane, up_to_32_ways, launch<Grouping::by_lane>, traffic<Grouping::by_lane>};
}

}  // namespace ridgeline::divergence::on_cuda
