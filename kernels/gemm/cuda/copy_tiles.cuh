#pragma once

#include <cstdint>

#include "kernels/ptx/copy_async.cuh"

namespace ridgeline::gemm::on_cuda {

/// Asynchronous copies by a block of 256 threads of the tiles along K of A and B that belong to
/// C's tile at (i0, j0), one pair after the other. Tiles has arrays `a`, transposed, and `b`.
/// Beyond the end of K are zeros; beyond the last row or column that one is repeated, for sums that
/// are not stored. `wide` promises that n is a multiple of 4.
template <bool wide, class Tiles>
class TileCopies {
 public:
  __device__ __forceinline__ TileCopies(std::int64_t m, std::int64_t n, std::int64_t k,
                                        const float* a, const float* b, std::int64_t i0,
                                        std::int64_t j0)
      : left_(static_cast<int>((k + depth - 1) / depth)),
        last_(static_cast<int>(k - std::int64_t{left_ - 1} * depth)),
        b_(b + b_row() * n + min(j0 + b_column(), n - piece)),
        b_step_(n * b_rows) {
#pragma unroll
    for (int part = 0; part < a_parts; ++part)
      a_[part] = a + min(i0 + a_row() + part * a_rows, m - 1) * k + a_column();
  }

  /// How many pairs are left.
  __device__ __forceinline__ int left() const { return left_; }

  /// Starts copying the next pair as one group, which is empty when none is left.
  __device__ __forceinline__ void start(Tiles& to) {
    if (left_ > 0) {
      const int inside = left_ > 1 ? depth : last_;
      // A warp takes 4 rows of 8 elements, whole sectors, which the padding of the tile's rows by 4
      // sends to 32 banks.
#pragma unroll
      for (int part = 0; part < a_parts; ++part) {
#pragma unroll
        for (int column = 0; column < depth; column += a_lanes)
          ptx::copy_async_4(&to.a[a_column() + column][a_row() + part * a_rows], a_[part] + column,
                            a_column() + column < inside);
        a_[part] += depth;
      }
#pragma unroll
      for (int row = 0; row < depth; row += b_rows) {
        const bool copied = b_row() + row < inside;
        if constexpr (wide)
          ptx::copy_async_16(&to.b[b_row() + row][b_column()], b_, copied);
        else
          ptx::copy_async_4(&to.b[b_row() + row][b_column()], b_, copied);
        b_ += b_step_;
      }
      --left_;
    }
    ptx::copy_async_commit();
  }

 private:
  static constexpr int threads = 256, rows = 128, depth = sizeof(Tiles::a) / sizeof(Tiles::a[0]),
                       columns = sizeof(Tiles::b[0]) / sizeof(float);
  static constexpr int a_lanes = 8, a_rows = threads / a_lanes, a_parts = rows / a_rows;
  static constexpr int piece = wide ? 4 : 1, b_lanes = columns / piece, b_rows = threads / b_lanes;

  // Where in the tiles the thread's copies begin.
  static __device__ __forceinline__ int a_row() { return threadIdx.x / a_lanes; }
  static __device__ __forceinline__ int a_column() { return threadIdx.x % a_lanes; }
  static __device__ __forceinline__ int b_row() { return threadIdx.x / b_lanes; }
  static __device__ __forceinline__ int b_column() { return threadIdx.x % b_lanes * piece; }

  int left_, last_;  // pairs, and how deep the last one is
  const float* a_[a_parts];
  const float* b_;
  std::int64_t b_step_;
};

}  // namespace ridgeline::gemm::on_cuda
