#include <type_traits>

#include "kernels/attention/cuda/sm_90a/attend.cuh"
#include "kernels/ptx/mma.cuh"

// `flash_wgmma` without the search for a maximum: that of the first tile of keys stays the
// reference of the exponentials. Nothing overflows while they are small, and floating-point numbers
// are as precise there as near 1. Their sum, which is needed anyway, tells when one was too large:
// then the warp computes its scores of that tile once more (mma.sync, because the other warps of
// its warpgroup do not take part), and takes the maximum of all as its reference. Keys are kept
// until that is known. Exponentials begin as soon as there are scores.
// Bound by tensor cores, with the exponentials beside them. Tiles come from the last key to the
// first: scores that are larger there cost a second computation each time. Of 2048 keys with
// input=falling, warps compute two thirds of their tiles once more, with input=outliers a tenth.

namespace ridgeline::attention::on_cuda {
namespace {

/// The largest sum of a thread's 32 exponentials that is taken: probabilities stay finite in Type,
/// and sums in f32.
template <class Type>
constexpr float most_of_sum = 0x1p24f;
template <>
constexpr float most_of_sum<ptx::F16> = 0x1p15f;

/// The warp's 16 rows of the scores once more. Rare, so it is kept small: a loop over 8 keys at a
/// time, whose four sums a thread push the others on.
template <class Again>
__device__ __forceinline__ void compute_again(Scores& s, const Again& again) {
  constexpr int steps = std::extent_v<std::remove_reference_t<decltype(again.queries)>>;
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll 1
  for (int first = 0; first < tile_keys; first += 8) {
    float sums[4] = {};
#pragma unroll
    for (int d = 0; d < steps; d += 2) {
      unsigned keys[4];  // 32 elements of each
      ptx::load_matrices(keys, again.keys + place<tile_keys>(first + lane % 8, 2 * d + lane / 8));
      ptx::mma_16x8x16(typename Again::Type{}, sums, again.queries[d], keys[0], keys[1]);
      ptx::mma_16x8x16(typename Again::Type{}, sums, again.queries[d + 1], keys[2], keys[3]);
    }
#pragma unroll
    for (int i = 0; i < own_scores; ++i) s[i] = i < own_scores - 4 ? s[i + 4] : sums[i % 4];
  }
  __syncwarp();  // all lanes have read the keys
}

struct ReferenceMaximum {
  static constexpr bool keeps_keys = true;
  float reference[2], sum[2];  // the first: of scores, times `factor`

  __device__ __forceinline__ void first(Scores& s, float factor) {
    largest_scores(s, reference);
    reference[0] *= factor;
    reference[1] *= factor;
    exponentials(s, factor, reference, sum);
  }
  template <class Again>
  __device__ __forceinline__ bool next(Scores& s, float factor, const Again& again,
                                       float (&shrink)[2]) {
    float added[2];
    exponentials(s, factor, reference, added);
    const bool too_large = __any_sync(0xFFFFFFFFu, fmaxf(added[0], added[1]) >=
                                                       most_of_sum<typename Again::Type>) != 0;
    if (too_large) {
      float here[2];
      compute_again(s, again);
      largest_scores(s, here);
#pragma unroll
      for (int r = 0; r < 2; ++r) {
        const float most = fmaxf(reference[r], here[r] * factor);
        shrink[r] = ptx::exp2_approximate(reference[r] - most);
        reference[r] = most;
        sum[r] *= shrink[r];
      }
      exponentials(s, factor, reference, added);
    }
    sum[0] += added[0];
    sum[1] += added[1];
    return too_large;
  }
};

}  // namespace

Variant flash_reference_maximum() {
  return {"no maximum is looked for while the sums of exponentials stay small",
          {DType::bf16, DType::f16},
          supports_rung,
          launch_rung<ReferenceMaximum>,
          nullptr,
          {.wavefronts_per_shared_request = 3.6},
          /*groups_queries=*/true,
          /*other_inputs=*/true};
}

}  // namespace ridgeline::attention::on_cuda
