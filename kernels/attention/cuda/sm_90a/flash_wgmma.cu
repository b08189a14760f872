#include "kernels/attention/cuda/sm_90a/attend.cuh"

// `flash_mma` by Hopper's means: one thread copies tiles (TMA), and two warpgroups multiply 64
// queries each (wgmma). Queries and probabilities are left factors in registers, so that shared
// memory gives keys and values alone. While a warpgroup makes exponentials of one tile, the
// products of the tile before are under way, and so is the other warpgroup: the two fall out of
// step by themselves. A block has an SM to itself and goes from tile to tile without a pause.
// Bound by tensor cores and exponentials in turn: each row's maximum is looked for before the first
// exponential can begin, which the tensor cores wait for.

namespace ridgeline::attention::on_cuda {
namespace {

/// Online softmax with the maximum so far as its reference.
struct RunningMaximum {
  static constexpr bool keeps_keys = false;
  float largest[2], sum[2];  // of scores, times `factor`

  __device__ __forceinline__ void first(Scores& s, float factor) {
    largest_scores(s, largest);
    largest[0] *= factor;
    largest[1] *= factor;
    exponentials(s, factor, largest, sum);
  }
  template <class Again>
  __device__ __forceinline__ bool next(Scores& s, float factor, const Again&, float (&shrink)[2]) {
    float here[2], added[2];
    largest_scores(s, here);
#pragma unroll
    for (int r = 0; r < 2; ++r) {
      const float most = fmaxf(largest[r], here[r] * factor);
      shrink[r] = ptx::exp2_approximate(largest[r] - most);
      largest[r] = most;
    }
    exponentials(s, factor, largest, added);
#pragma unroll
    for (int r = 0; r < 2; ++r) sum[r] = sum[r] * shrink[r] + added[r];
    return true;
  }
};

}  // namespace

Variant flash_wgmma() {
  return {"online softmax beside asynchronous products of warpgroups, fed by tensor copies",
          {DType::bf16, DType::f16},
          supports_rung,
          launch_rung<RunningMaximum>,
          nullptr,
          {.wavefronts_per_shared_request = 3.6},
          /*groups_queries=*/true,
          /*other_inputs=*/true};
}

}  // namespace ridgeline::attention::on_cuda
