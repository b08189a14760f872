#pragma once

#include <cstdint>

#include "kernels/ptx/copy_async.cuh"
#include "kernels/ptx/matrices.cuh"

// What the rungs share that feed mma.sync with 16-bit factors: a block of 256 threads makes
// 128 x 256 of C, a warp 64 x 64 of it. Tiles, 32 deep, come by asynchronous copies into a ring.
// They lie swizzled: piece p of a row at p XOR a number of the row, so that the 8 rows of a matrix
// fall into different banks.
namespace ridgeline::gemm::on_cuda {

inline constexpr int halves_m = 128, halves_n = 256, halves_k = 32, halves_threads = 256,
                     halves_stages = 4;
/// Of a warp, and how many 16 x 16 squares of factors and sums they come to.
inline constexpr int halves_warp = 64, squares = halves_warp / 16;
inline constexpr int piece = 8;  // elements of 16 bytes: copied at once, and a row of a matrix

struct HalfTiles {
  __align__(128) unsigned short a[halves_m][halves_k];
  unsigned short b[halves_k][halves_n];

  // Where piece p of a row begins.
  __device__ __forceinline__ unsigned short* of_a(int row, int p) {
    return &a[row][(p ^ row / 2 % 4) * piece];  // two rows fill the banks
  }
  __device__ __forceinline__ unsigned short* of_b(int row, int p) {
    return &b[row][(p ^ row % 8) * piece];
  }
};

/// Brings 8 elements of a row, of which the first `inside` exist, with zeros behind them. `wide`
/// promises that it is all or none, and aligned: they are copied asynchronously.
template <bool wide>
__device__ __forceinline__ void bring(unsigned short* to, const unsigned short* from,
                                      std::int64_t inside) {
  if constexpr (wide) {
    ptx::copy_async_16(to, from, inside > 0);
  } else {
    unsigned pairs[piece / 2];
#pragma unroll
    for (int i = 0; i < piece / 2; ++i) {
      const unsigned low = 2 * i < inside ? from[2 * i] : 0u;
      const unsigned high = 2 * i + 1 < inside ? from[2 * i + 1] : 0u;
      pairs[i] = low | high << 16;
    }
    *reinterpret_cast<uint4*>(to) = make_uint4(pairs[0], pairs[1], pairs[2], pairs[3]);
  }
}

/// A thread's part in bringing tiles, one pair after the other; zeros beyond the edges.
template <bool wide>
class HalfCopies {
 public:
  __device__ __forceinline__ HalfCopies(std::int64_t m, std::int64_t n, std::int64_t k,
                                        const unsigned short* a, const unsigned short* b,
                                        std::int64_t i0, std::int64_t j0)
      : a_(a + (i0 + a_row()) * k + a_piece() * piece),
        b_(b + b_row() * n + j0 + b_piece() * piece),
        k_(k),
        n_(n),
        left_(k),
        rows_(m - i0 - a_row()),
        columns_(n - j0 - b_piece() * piece) {}

  /// Starts the next ones, as one group.
  __device__ __forceinline__ void start(HalfTiles& to) {
    [[maybe_unused]] constexpr int unrolled = wide ? halves_m : 1;  // else there are too few
                                                                    // registers
#pragma unroll unrolled
    for (int row = 0; row < halves_m; row += a_rows)
      bring<wide>(to.of_a(a_row() + row, a_piece()), a_ + row * k_,
                  row < rows_ ? left_ - a_piece() * piece : 0);
#pragma unroll unrolled
    for (int row = 0; row < halves_k; row += b_rows)
      bring<wide>(to.of_b(b_row() + row, b_piece()), b_ + row * n_,
                  b_row() + row < left_ ? columns_ : 0);
    ptx::copy_async_commit();
    a_ += halves_k;
    b_ += halves_k * n_;
    left_ -= halves_k;
  }

 private:
  static constexpr int a_lanes = halves_k / piece, a_rows = halves_threads / a_lanes,
                       b_lanes = halves_n / piece, b_rows = halves_threads / b_lanes;
  static __device__ __forceinline__ int a_row() { return threadIdx.x / a_lanes; }
  static __device__ __forceinline__ int a_piece() { return threadIdx.x % a_lanes; }
  static __device__ __forceinline__ int b_row() { return threadIdx.x / b_lanes; }
  static __device__ __forceinline__ int b_piece() { return threadIdx.x % b_lanes; }

  const unsigned short* a_;
  const unsigned short* b_;
  std::int64_t k_, n_, left_;  // of K, not below 0 where anything is brought
  std::int64_t rows_, columns_;
};

/// A warp's factors of 16 steps along k: of 64 rows and 64 columns, from row i and column j on.
struct Fragments {
  unsigned a[squares][4], b[squares][4];

  __device__ __forceinline__ void load(HalfTiles& from, int step, int i, int j) {
    const int lane = threadIdx.x % 32, row = lane % 16, second = lane / 16;
#pragma unroll
    for (int r = 0; r < squares; ++r)
      ptx::load_matrices(a[r], from.of_a(i + 16 * r + row, 2 * step + second));
#pragma unroll
    for (int c = 0; c < squares; ++c)
      ptx::load_matrices_transposed(b[c], from.of_b(16 * step + row, j / piece + 2 * c + second));
  }
};

}  // namespace ridgeline::gemm::on_cuda
