#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/decode/cuda/pairs.cuh"
#include "kernels/decode/decode.hpp"
#include "kernels/ptx/exp2.cuh"

// What blocks that share a head's cache leave for each other, and how it is added up. Exponents are
// those of exp2, as score_factor() makes them.
namespace ridgeline::decode::on_cuda {

/// Parts of outputs, a row for each query. Of some of a query's keys, a row has the sum of
/// exp2(score - largest) v, and the largest score with the sum of exp2(score - largest).
struct Parts {
  float* outputs;  // rows x dim
  float2* sums;    // rows
};

inline std::size_t parts_bytes(std::int64_t rows, std::int64_t dim) {
  return static_cast<std::size_t>(rows * (dim + 2)) * sizeof(float);
}
inline Parts parts_in(void* memory, std::int64_t rows, std::int64_t dim) {
  auto* const outputs = static_cast<float*>(memory);
  return {outputs, reinterpret_cast<float2*>(outputs + rows * dim)};
}

constexpr int adding_slices = 4;
template <int dim>
inline constexpr int adding_threads = dim / 2 * adding_slices;

/// Adds up rows row_of(0) to row_of(count - 1) of a query, always in the same order, so that every
/// run gives the same bits, and writes the query's output to `o`, pairs of elements. A block of
/// adding_threads: a thread has a pair of dimensions, and every fourth row.
template <class Type, int dim, class RowOf>
__device__ __forceinline__ void add_up(const Parts& parts, int count, RowOf row_of, unsigned* o) {
  constexpr int pairs = dim / 2;
  __shared__ float2 outputs[adding_slices][pairs];
  __shared__ float2 sums[adding_slices];
  const int pair = static_cast<int>(threadIdx.x) % pairs,
            slice = static_cast<int>(threadIdx.x) / pairs;
  float largest = -INFINITY, total = 0;
  float2 sum = make_float2(0, 0);
#pragma unroll 4
  for (int i = slice; i < count; i += adding_slices) {
    const std::int64_t row = row_of(i);
    const float2 its = parts.sums[row],
                 output = reinterpret_cast<const float2*>(parts.outputs)[row * pairs + pair];
    const float most = fmaxf(largest, its.x), shrink = ptx::exp2_approximate(largest - most),
                weight = ptx::exp2_approximate(its.x - most);
    largest = most;
    total = total * shrink + weight * its.y;
    sum.x = sum.x * shrink + weight * output.x;
    sum.y = sum.y * shrink + weight * output.y;
  }
  outputs[slice][pair] = sum;
  if (pair == 0) sums[slice] = make_float2(largest, total);
  __syncthreads();
  if (slice != 0) return;
    // The first slice has had a row, so there is a finite maximum.
#pragma unroll
  for (int other = 1; other < adding_slices; ++other) largest = fmaxf(largest, sums[other].x);
  total = 0;
  sum = make_float2(0, 0);
#pragma unroll
  for (int other = 0; other < adding_slices; ++other) {
    const float2 its = sums[other], output = outputs[other][pair];
    const float weight = ptx::exp2_approximate(its.x - largest);
    total += weight * its.y;
    sum.x += weight * output.x;
    sum.y += weight * output.y;
  }
  o[pair] = ptx::pack(Type{}, sum.x / total, sum.y / total);
}

}  // namespace ridgeline::decode::on_cuda
