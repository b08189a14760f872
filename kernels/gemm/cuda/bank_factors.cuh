#pragma once

#include "kernels/gemm/cuda/quads.cuh"

// What the rungs share whose threads keep 8 x 16 sums of f32, laid out by register banks
// (bank_aware.cu says why). Eight warps of 64 x 64 make 128 x 256 of C.
namespace ridgeline::gemm::on_cuda {

inline constexpr int banks_m = 128, banks_n = 256, banks_warps = 8;
inline constexpr int banks_padded_m = banks_m + 4;  // of A's tile, which is transposed
inline constexpr int banks_warp = 64, row_gap = 32, column_gap = 16;

/// Where the thread's sums begin in the block's tile. A warp is 8 rows of 4 lanes in order. The
/// order of lanes.cuh, with which shared memory serves loads of B in half as many wavefronts, makes
/// both kernels 3 to 4% slower on an H200; why is not known.
__device__ __forceinline__ int first_row() {
  return threadIdx.x / 32 / (banks_n / banks_warp) * banks_warp + threadIdx.x % 32 / 4 * 4;
}
__device__ __forceinline__ int first_column() {
  return threadIdx.x / 32 % (banks_n / banks_warp) * banks_warp + threadIdx.x % 4 * 4;
}

/// A thread's factors of one step along k: of 8 rows and 16 columns.
struct BankFactors {
  float4 a[2], b[4];

  /// Of the step `step` behind the one in whose rows of tiles the pointers are.
  __device__ __forceinline__ void load_a(const float* of_a, int step) {
#pragma unroll
    for (int part = 0; part < 2; ++part)
      a[part] = *reinterpret_cast<const float4*>(of_a + step * banks_padded_m + part * row_gap);
  }
  __device__ __forceinline__ void load_b(const float* of_b, int step) {
#pragma unroll
    for (int part = 0; part < 4; ++part)
      b[part] = *reinterpret_cast<const float4*>(of_b + step * banks_n + part * column_gap);
  }
  __device__ __forceinline__ void load(const float* of_a, const float* of_b, int step) {
    load_b(of_b, step);
    load_a(of_a, step);
  }
};

__device__ __forceinline__ float part_of(const float4& four, int i) {
  return i == 0 ? four.x : i == 1 ? four.y : i == 2 ? four.z : four.w;
}

template <int first = 0, int end = 8>
__device__ __forceinline__ void multiply(const BankFactors& by, float (&sums)[8][16]) {
#pragma unroll
  for (int row = first; row < end; ++row)
#pragma unroll
    for (int step = 0; step < 16; ++step) {
      const int column = row % 2 == 0 ? 15 - step : step;
      sums[row][column] += part_of(by.a[row / 4], row % 4) * part_of(by.b[column / 4], column % 4);
    }
}

/// Multiplies `now`, and loads `next` on the way, of the step `step` behind that of the pointers.
__device__ __forceinline__ void multiply_and_load(const BankFactors& now, float (&sums)[8][16],
                                                  BankFactors& next, const float* of_a,
                                                  const float* of_b, int step) {
  next.load_b(of_b, step);
  multiply<0, 2>(now, sums);
  next.load_a(of_a, step);
  multiply<2, 8>(now, sums);
}

/// Calls store(row, column, four), counted in C, for each four sums of the block's tile at (i0,
/// j0), times `one`.
template <class Store>
__device__ __forceinline__ void for_each_four(const float (&sums)[8][16], std::int64_t i0,
                                              std::int64_t j0, float one, Store store) {
#pragma unroll
  for (int row = 0; row < 8; ++row)
#pragma unroll
    for (int first = 0; first < 16; first += 4)
      store(i0 + first_row() + row % 4 + row / 4 * row_gap,
            j0 + first_column() + first / 4 * column_gap,
            make_float4(sums[row][first] * one, sums[row][first + 1] * one,
                        sums[row][first + 2] * one, sums[row][first + 3] * one));
}

}  // namespace ridgeline::gemm::on_cuda
