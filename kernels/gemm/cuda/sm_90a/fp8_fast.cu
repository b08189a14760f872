#include "kernels/gemm/cuda/sm_90a/e4m3_tiles.cuh"

// Over persistent_clusters: e4m3, of which tensor cores multiply twice as many a clock. With K
// along the rows of both factors, a stage has 128 of K in the same bytes. All sums stay in tensor
// cores, which keep some 14 bits of them: of random signs their errors stay some 2^-13 of the sum
// of sizes, of one sign they grow with K (kernels/gemm/measure.hpp). A launch begins while the
// kernel before it ends. Bound by power from about 4096 on: the samples of a run are over before
// the clock falls, so it is what docs/ladders.md calls sustained that shows it.

namespace ridgeline::gemm::on_cuda {
namespace {

using FastShape = e4m3::Shape<256, 4, 2>;
constexpr int fast_band = 8;  // rows of pairs of tiles

__global__ void __launch_bounds__(e4m3::threads, 1)
    fp8_fast_kernel(const __grid_constant__ e4m3::Arguments arguments) {
  RIDGELINE_DYNAMIC_SHARED(unsigned char, dynamic);
  e4m3::make_tiles<FastShape>(arguments, dynamic, [](e4m3::Warpgroup<FastShape>& group) {
    float sums[FastShape::sums];
    for (int tiles = group.tiles(); tiles > 0; --tiles) {
      for (int chunk = 0; chunk < group.of.chunks; ++chunk) {
        group.multiply(sums, chunk != 0);
        ptx::products_wait<1>();
        if (chunk != 0) group.give_back();  // the stage before, whose products have ended
      }
      ptx::products_wait<0>(sums);
      group.give_back();
      group.store(sums);
    }
  });
}

}  // namespace

Variant fp8_fast() {
  return {
      .idea = "e4m3 by wgmma, all sums in tensor cores; begins before the last kernel has ended",
      .dtypes = {DType::e4m3_fast},
      .supports =
          [](const Problem& problem, const device::Facts& facts) {
            return e4m3::supports(problem, facts, DType::e4m3_fast);
          },
      .launch =
          [](const Problem& problem, const Operands& operands, device::Stream& stream) {
            e4m3::launch<FastShape>(problem, operands, stream, fast_band, fp8_fast_kernel);
          },
      .budget = {.sectors_per_load = 1, .wavefronts_per_shared_request = 4},
      .multiple = 8,
      .multiple_of_k = 16};
}

}  // namespace ridgeline::gemm::on_cuda
