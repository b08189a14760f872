#pragma once

#include <cstdint>

#include <cuda_fp16.h>

#include "kernels/ptx/mma.cuh"

// f32 as the sum of two f16: x 2^s = high + low, with high = f16(x 2^s), low = f16(x 2^s - high).
// Of the 24 bits of x, 11 are in high and 11 in low with its sign: x 2^s differs by at most 2^-23
// of itself. f16 has a short exponent, so s is chosen for each row of A and each column of B: the
// largest element comes into [2^14, 2^15). Elements below 2^-16 of it lose bits of low, at most
// 2^-39 of the largest. A NaN or an infinity makes NaN of its whole row or column.
//
// The halves of 16 rows (of B) or columns (of A) along K lie together, high before low, so that 32
// of them are a tile of half_tiles.cuh. K is filled up with zeros to a multiple of 16, and rows of
// B to a multiple of 8.
namespace ridgeline::gemm::on_cuda {

inline constexpr int together = 16;

/// s, from the bits of the largest magnitude, which order as integers. With 2^s in f32's range.
__device__ __forceinline__ int shift_of(unsigned largest) {
  const int exponent = static_cast<int>(largest >> 23);
  return exponent == 255 ? 0 : min(126, 14 + 127 - exponent);
}

/// 2^shift, -126 <= shift <= 127.
__device__ __forceinline__ float power_of_2(int shift) {
  return __int_as_float((shift + 127) << 23);
}

__device__ __forceinline__ unsigned magnitude(float x) { return __float_as_uint(x) & 0x7FFFFFFFu; }

/// Writes the halves of two neighbours, the low ones `apart` elements behind the high ones.
__device__ __forceinline__ void write_halves(unsigned short* to, std::int64_t apart, float first,
                                             float second) {
  const unsigned high = ptx::pack(ptx::F16{}, first, second);
  const auto value = [](unsigned bits) {
    return __half2float(__ushort_as_half(static_cast<unsigned short>(bits)));
  };
  *reinterpret_cast<unsigned*>(to) = high;
  *reinterpret_cast<unsigned*>(to + apart) =
      ptx::pack(ptx::F16{}, first - value(high), second - value(high >> 16));
}

inline constexpr int row_threads = 256;

/// Splits a row of A, m x k, per block.
static __global__ void __launch_bounds__(row_threads)
    split_rows_kernel(std::int64_t k, const float* a, unsigned short* halves, int* shifts) {
  __shared__ unsigned of_warp[row_threads / 32];
  const float* const row = a + blockIdx.x * k;
  unsigned largest = 0;
#pragma unroll 4
  for (std::int64_t p = threadIdx.x; p < k; p += row_threads)
    largest = max(largest, magnitude(row[p]));
  largest = __reduce_max_sync(0xFFFFFFFFu, largest);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = largest;
  __syncthreads();
#pragma unroll
  for (int warp = 0; warp < row_threads / 32; ++warp) largest = max(largest, of_warp[warp]);
  const int shift = shift_of(largest);
  if (threadIdx.x == 0) shifts[blockIdx.x] = shift;

  const float scale = power_of_2(shift);
  const std::int64_t filled = (k + together - 1) / together * together;
  unsigned short* const to = halves + blockIdx.x * 2 * filled;
#pragma unroll 2
  for (std::int64_t p = 2 * threadIdx.x; p < filled; p += 2 * row_threads) {
    const float first = p < k ? row[p] : 0.0f, second = p + 1 < k ? row[p + 1] : 0.0f;
    write_halves(to + p / together * 2 * together + p % together, together, first * scale,
                 second * scale);
  }
}

inline constexpr int strip = 64, strip_warps = 32;

/// Splits 64 columns of B, k x n, per block; rows of halves have `filled` elements.
static __global__ void __launch_bounds__(32 * strip_warps)
    split_columns_kernel(std::int64_t k, std::int64_t n, std::int64_t filled, const float* b,
                         unsigned short* halves, int* shifts) {
  __shared__ unsigned of_warp[strip_warps][strip];
  const int warp = threadIdx.x / 32, pair = threadIdx.x % 32 * 2;
  const std::int64_t column = std::int64_t{blockIdx.x} * strip + pair;
  const bool has_first = column < n, has_second = column + 1 < n;
  unsigned first = 0, second = 0;
#pragma unroll 4
  for (std::int64_t p = warp; p < k; p += strip_warps) {
    if (has_first) first = max(first, magnitude(b[p * n + column]));
    if (has_second) second = max(second, magnitude(b[p * n + column + 1]));
  }
  of_warp[warp][pair] = first;
  of_warp[warp][pair + 1] = second;
  __syncthreads();
#pragma unroll 4
  for (int other = 0; other < strip_warps; ++other) {
    first = max(first, of_warp[other][pair]);
    second = max(second, of_warp[other][pair + 1]);
  }
  const int shift_of_first = shift_of(first), shift_of_second = shift_of(second);
  if (warp == 0 && has_first) shifts[column] = shift_of_first;
  if (warp == 0 && has_second) shifts[column + 1] = shift_of_second;
  if (column >= filled) return;

  const float scale_first = power_of_2(shift_of_first), scale_second = power_of_2(shift_of_second);
  const std::int64_t end = (k + together - 1) / together * together;
#pragma unroll 2
  for (std::int64_t p = warp; p < end; p += strip_warps) {
    const float x = p < k && has_first ? b[p * n + column] : 0.0f,
                y = p < k && has_second ? b[p * n + column + 1] : 0.0f;
    write_halves(halves + (p / together * 2 * together + p % together) * filled + column,
                 together * filled, x * scale_first, y * scale_second);
  }
}

}  // namespace ridgeline::gemm::on_cuda
