#pragma once

#include "kernels/rows/cuda/row.cuh"

// Mean and variance of parts of a row, put together without cancellation.
namespace ridgeline::rows::on_cuda {

/// Of some elements their mean, and the sum of their squares about it.
struct Moments {
  float mean, squares;
};
/// Of all lanes' elements, `all` together, of which this lane has `elements`. `pivot` is the mean
/// of those of some lane, so that it is at most as far from the mean of all, times sqrt(32), as
/// elements are on average: the difference of squares loses at most five bits.
__device__ __forceinline__ Moments together(Moments mine, float elements, float pivot, float all) {
  const float apart = mine.mean - pivot, first = elements * apart;
  const float2 sums = sum_over_warp(make_float2(first, mine.squares + first * apart));
  const float shift = sums.x * (1 / all);
  return {pivot + shift, fmaxf(sums.y - sums.x * shift, 0)};
}

}  // namespace ridgeline::rows::on_cuda
