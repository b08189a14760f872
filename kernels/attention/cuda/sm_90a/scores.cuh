#pragma once

#include "harness/device/kernel.hpp"
#include "kernels/ptx/exp2.cuh"

// A thread's part of 64 x 128 scores: s[4j + 2r + e] is its row r (the second one is 8 below the
// first), key 8j + 2 (lane % 4) + e. Four neighbouring lanes have a row.
namespace ridgeline::attention::on_cuda {

constexpr int own_scores = 64;
using Scores = float[own_scores];

/// The largest of four neighbouring lanes' values, or their sum, on all four.
__device__ __forceinline__ float largest_of_row(float value) {
  value = fmaxf(value, __shfl_xor_sync(0xFFFFFFFFu, value, 1));
  return fmaxf(value, __shfl_xor_sync(0xFFFFFFFFu, value, 2));
}
__device__ __forceinline__ float sum_of_row(float value) {
  value += __shfl_xor_sync(0xFFFFFFFFu, value, 1);
  return value + __shfl_xor_sync(0xFFFFFFFFu, value, 2);
}

/// Hides all but the first `keys` of a row's keys, of its row `row`. Which of a thread's scores
/// these are is a word of bits, so that a few instructions make all predicates of it.
template <int row>
__device__ __forceinline__ void hide_behind(Scores& s, int keys) {
  const int mine = keys - static_cast<int>(threadIdx.x % 4) * 2;  // from this thread's first one on
  const int count = mine <= 0 ? 0 : min(mine / 8 * 2 + min(mine % 8, 2), own_scores / 2);
  const unsigned bits = count == 32 ? 0xFFFFFFFFu : (1u << count) - 1;
#pragma unroll
  for (int i = 0; i < own_scores / 2; ++i)
    if ((bits >> i & 1) == 0) s[i / 2 * 4 + 2 * row + i % 2] = -INFINITY;
}

/// The largest score of each row. Eight chains a thread: one would wait for each step.
__device__ __forceinline__ void largest_scores(const Scores& s, float (&largest)[2]) {
  float chains[8];
#pragma unroll
  for (int i = 0; i < own_scores; ++i) chains[i % 8] = i < 8 ? s[i] : fmaxf(chains[i % 8], s[i]);
#pragma unroll
  for (int r = 0; r < 2; ++r)
    largest[r] = largest_of_row(fmaxf(fmaxf(chains[2 * r], chains[2 * r + 1]),
                                      fmaxf(chains[2 * r + 4], chains[2 * r + 5])));
}

/// Each score becomes 2^(factor score - reference), and `sum` what those of this thread add up to.
__device__ __forceinline__ void exponentials(Scores& s, float factor, const float (&reference)[2],
                                             float (&sum)[2]) {
  float chains[4];
#pragma unroll
  for (int i = 0; i < own_scores; ++i) {
    s[i] = ptx::exp2_approximate(fmaf(s[i], factor, -reference[i / 2 % 2]));
    chains[i % 4] = i < 4 ? s[i] : chains[i % 4] + s[i];
  }
  sum[0] = chains[0] + chains[1];
  sum[1] = chains[2] + chains[3];
}

}  // namespace ridgeline::attention::on_cuda
