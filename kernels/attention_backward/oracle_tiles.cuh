#pragma once

#include <cstdint>

#include "kernels/attention_backward/device_oracle.hpp"
#include "kernels/cuda/elements.cuh"

// What the kernels of the oracle are made of: a warp that combines its lanes, rows of the other
// side in shared memory, and products of two rows.
namespace ridgeline::attention_backward::on_cuda::of_oracle {

inline constexpr int warps = 8, threads = 32 * warps, others = 32, most_dim = 128;
inline constexpr int own_dims = most_dim / 32;  // of a lane: lane, lane + 32, ...

struct Largest {
  template <class Number>
  __device__ Number operator()(Number a, Number b) const {
    return a < b ? b : a;
  }
};
struct Sum {
  template <class Number>
  __device__ Number operator()(Number a, Number b) const {
    return a + b;
  }
};
template <class Number, class Combine>
__device__ Number over_warp(Number value, Combine combine) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2)
    value = combine(value, __shfl_xor_sync(0xFFFFFFFFu, value, step));
  return value;
}
template <class Number>
__device__ Number of_lane(Number value, int lane) {
  return __shfl_sync(0xFFFFFFFFu, value, lane);
}

/// Rows of two arrays that belong together: q and dO, or k and v.
template <int rows>
struct Tile {
  float a[rows][most_dim + 1], b[rows][most_dim + 1];

  /// Rows row(0), ... of the arrays, all threads; what is not there (negative) is 0,
  /// and so are columns beyond `dim`.
  template <class Row>
  __device__ void bring(const kernels::Elements& of_a, const kernels::Elements& of_b, int dim,
                        Row row) {
    for (int i = static_cast<int>(threadIdx.x); i < rows * most_dim; i += threads) {
      const int r = i / most_dim, e = i % most_dim;
      const std::int64_t from = row(r);
      const bool there = from >= 0 && e < dim;
      a[r][e] = there ? kernels::on_cuda::element(of_a, from * dim + e) : 0.0f;
      b[r][e] = there ? kernels::on_cuda::element(of_b, from * dim + e) : 0.0f;
    }
  }
};

/// A product of two rows: exact, plain, and the sum of its terms' magnitudes.
struct Product {
  double exact = 0, size = 0;
  float plain = 0;

  __device__ Product(const float* left, const float* right, int dim) {
    for (int e = 0; e < dim; ++e) {
      const double term = static_cast<double>(left[e]) * static_cast<double>(right[e]);
      exact += term;
      size += fabs(term);
      plain += left[e] * right[e];
    }
  }
};

__device__ inline bool sees(const Problem& problem, std::int64_t query, std::int64_t key) {
  return key < problem.seq && query < problem.seq && (problem.mask == Mask::full || key <= query);
}

}  // namespace ridgeline::attention_backward::on_cuda::of_oracle
