#include "kernels/gemm/cuda/sm_90a/e4m3_tiles.cuh"

// Over fp8_fast: the sums of each 128 of K, a stage, leave the tensor cores and are added in f32,
// so that the error does not grow with K. While one stage's sums are added, products of the next
// are under way in other registers: a thread has three times the sums of a tile, so that tiles are
// half as wide. Tensor cores go on while a tile is stored, too. Bound by power, as fp8_fast. On an
// H200 one set of registers for 256 columns, in halves, with the other warpgroup's products beside
// the additions, made 0.89 of this at 8192; the left factor from registers 0.75.

namespace ridgeline::gemm::on_cuda {
namespace {

using PromotedShape = e4m3::Shape<128, 6, 2>;
constexpr int promoted_band = 8;  // rows of pairs of tiles

constexpr int count = PromotedShape::sums;
using Group = e4m3::Warpgroup<PromotedShape>;

/// Adds the sums of a stage, whose products have ended, to those of the tile. After its last
/// stage, the tile is stored.
__device__ __forceinline__ void add(Group& group, const float (&part)[count], float (&sums)[count],
                                    int& chunk) {
  group.give_back();
#pragma unroll
  for (int i = 0; i < count; ++i) sums[i] += part[i];
  if (++chunk != group.of.chunks) return;
  chunk = 0;
  group.store(sums);
#pragma unroll
  for (float& sum : sums) sum = 0;
}

/// The same for the last of all stages.
__device__ __forceinline__ void add_last(Group& group, float (&part)[count], float (&sums)[count],
                                         int& chunk) {
  ptx::products_wait<0>(part);
  add(group, part, sums, chunk);
}

__global__ void __launch_bounds__(e4m3::threads, 1)
    fp8_promoted_kernel(const __grid_constant__ e4m3::Arguments arguments) {
  RIDGELINE_DYNAMIC_SHARED(unsigned char, dynamic);
  e4m3::make_tiles<PromotedShape>(arguments, dynamic, [](Group& group) {
    float sums[count], even[count], odd[count];
    int chunk = 0;  // of its tile, the stage that is added next
#pragma unroll
    for (float& sum : sums) sum = 0;
    group.multiply(even, false);
    for (int left = group.tiles() * group.of.chunks;; left -= 2) {
      if (left == 1) return add_last(group, even, sums, chunk);
      group.multiply(odd, false);
      ptx::products_wait<1>(even);
      add(group, even, sums, chunk);
      if (left == 2) return add_last(group, odd, sums, chunk);
      group.multiply(even, false);
      ptx::products_wait<1>(odd);
      add(group, odd, sums, chunk);
    }
  });
}

}  // namespace

Variant fp8_promoted() {
  return {.idea = "e4m3, sums of each 128 of K added in f32 beside the products of the next",
          .dtypes = {DType::e4m3},
          .supports =
              [](const Problem& problem, const device::Facts& facts) {
                return e4m3::supports(problem, facts, DType::e4m3);
              },
          .launch =
              [](const Problem& problem, const Operands& operands, device::Stream& stream) {
                e4m3::launch<PromotedShape>(problem, operands, stream, promoted_band,
                                            fp8_promoted_kernel);
              },
          .budget = {.sectors_per_load = 1, .wavefronts_per_shared_request = 4},
          .multiple = 8,
          .multiple_of_k = 16};
}

}  // namespace ridgeline::gemm::on_cuda
