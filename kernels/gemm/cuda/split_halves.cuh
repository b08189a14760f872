#pragma once

#include <algorithm>
#include <cstdint>

#include <cuda_fp16.h>

#include "kernels/gemm/cuda/quads.cuh"
#include "kernels/gemm/gemm.hpp"
#include "kernels/ptx/mma.cuh"

// f32 as the sum of two f16: x 2^s = high + low, with high = f16(x 2^s), low = f16(x 2^s - high).
// Of the 24 bits of x, 11 are in high and 11 in low with its sign: x 2^s differs by at most 2^-23
// of itself. f16 has a short exponent, so s is chosen for each row of A and each column of B: the
// largest element comes into [2^14, 2^15). Elements below 2^-16 of it lose bits of low, at most
// 2^-39 of the largest. A NaN or an infinity makes NaN of its whole row or column.
//
// The halves of 16 rows (of B) or columns (of A) along K lie together, high before low, so that 32
// of them are a tile of half_tiles.cuh, and 64 one of sm_90a/tiles.cuh. K is filled up with zeros
// to a multiple of 16, and rows of B to a multiple of 8.
//
// Bound by memory: A is read once, B twice, and both are written as halves, which are as large.
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

/// 2^-shift as the exponents of two factors, in place, without f32's bias.
__device__ __forceinline__ int2 scale_back(int shift) {
  const int half = shift / 2;
  return make_int2(-half * (1 << 23), (half - shift) * (1 << 23));
}

__device__ __forceinline__ unsigned magnitude(float x) { return __float_as_uint(x) & 0x7FFFFFFFu; }

__device__ __forceinline__ uint4 larger(uint4 x, uint4 y) {
  return make_uint4(max(x.x, y.x), max(x.y, y.y), max(x.z, y.z), max(x.w, y.w));
}

__device__ __forceinline__ uint4 magnitudes(float4 x) {
  return make_uint4(magnitude(x.x), magnitude(x.y), magnitude(x.z), magnitude(x.w));
}

/// Writes the halves of four neighbours, the low ones `apart` elements behind the high ones.
__device__ __forceinline__ void write_halves(unsigned short* to, std::int64_t apart, float4 x) {
  const auto value = [](unsigned bits) {
    return __half2float(__ushort_as_half(static_cast<unsigned short>(bits)));
  };
  const uint2 high = make_uint2(ptx::pack(ptx::F16{}, x.x, x.y), ptx::pack(ptx::F16{}, x.z, x.w));
  *reinterpret_cast<uint2*>(to) = high;
  *reinterpret_cast<uint2*>(to + apart) =
      make_uint2(ptx::pack(ptx::F16{}, x.x - value(high.x), x.y - value(high.x >> 16)),
                 ptx::pack(ptx::F16{}, x.z - value(high.y), x.w - value(high.y >> 16)));
}

inline constexpr int splitting = 256;  // threads of each of the kernels that split

/// Splits a row of A, m x k, per block. `wide` promises that k is a multiple of 4.
template <bool wide>
static __global__ void __launch_bounds__(splitting)
    split_rows_kernel(std::int64_t m, std::int64_t k, const float* a, unsigned short* halves,
                      int2* scales) {
  __shared__ unsigned of_warp[splitting / 32];
  const std::int64_t row = blockIdx.x;
  uint4 four = make_uint4(0, 0, 0, 0);
#pragma unroll 4
  for (std::int64_t p = 4 * threadIdx.x; p < k; p += 4 * splitting)
    four = larger(four, magnitudes(load4<wide>(a, m, k, row, p)));
  unsigned largest = max(max(four.x, four.y), max(four.z, four.w));
  largest = __reduce_max_sync(0xFFFFFFFFu, largest);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = largest;
  __syncthreads();
#pragma unroll
  for (int warp = 0; warp < splitting / 32; ++warp) largest = max(largest, of_warp[warp]);
  const int shift = shift_of(largest);
  if (threadIdx.x == 0) scales[row] = scale_back(shift);

  const float scale = power_of_2(shift);
  const std::int64_t filled = (k + together - 1) / together * together;
  unsigned short* const to = halves + row * 2 * filled;
#pragma unroll 4
  for (std::int64_t p = 4 * threadIdx.x; p < filled; p += 4 * splitting) {
    const float4 x = load4<wide>(a, m, k, row, p);  // from L1, as a rule
    write_halves(to + p / together * 2 * together + p % together, together,
                 make_float4(x.x * scale, x.y * scale, x.z * scale, x.w * scale));
  }
}

// Blocks have 128 columns of B, four a thread, and a warp a row.
inline constexpr int strip = 128, strip_warps = splitting / 32;
inline constexpr int measured_k = 256, split_k = 128;  // rows of a block of the two kernels

/// The largest of each column that any warp holds, to all.
__device__ __forceinline__ uint4 largest_of_warps(uint4 mine) {
  __shared__ uint4 of_warp[strip_warps][32];
  const int lane = static_cast<int>(threadIdx.x) % 32;
  of_warp[threadIdx.x / 32][lane] = mine;
  __syncthreads();
#pragma unroll
  for (int warp = 0; warp < strip_warps; ++warp) mine = larger(mine, of_warp[warp][lane]);
  return mine;
}

/// Finds the largest magnitudes of B's columns, k x n, in each 256 rows: a row of `filled` bits of
/// f32 for each. `wide` promises that n is a multiple of 4.
template <bool wide>
static __global__ void __launch_bounds__(splitting)
    measure_columns_kernel(std::int64_t k, std::int64_t n, std::int64_t filled, const float* b,
                           unsigned* largest) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const std::int64_t column = std::int64_t{blockIdx.x} * strip + threadIdx.x % 32 * 4,
                     first = std::int64_t{blockIdx.y} * measured_k;
  uint4 mine = make_uint4(0, 0, 0, 0);
#pragma unroll 8
  for (int row = warp; row < measured_k; row += strip_warps)
    mine = larger(mine, magnitudes(load4<wide>(b, k, n, first + row, column)));
  mine = largest_of_warps(mine);
  if (warp == 0 && column < filled)
    *reinterpret_cast<uint4*>(largest + blockIdx.y * filled + column) = mine;
}

/// Splits B; rows of halves have `filled` elements. Begins with the last rows, which are still in
/// L2.
template <bool wide>
static __global__ void __launch_bounds__(splitting)
    split_columns_kernel(std::int64_t k, std::int64_t n, std::int64_t filled, const float* b,
                         const unsigned* largest, unsigned short* halves, int2* scales) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const std::int64_t column = std::int64_t{blockIdx.x} * strip + threadIdx.x % 32 * 4,
                     first = std::int64_t{gridDim.y - 1 - blockIdx.y} * split_k;
  uint4 mine = make_uint4(0, 0, 0, 0);
  if (column < filled)
    for (std::int64_t part = warp; part * measured_k < k; part += strip_warps)
      mine = larger(mine, *reinterpret_cast<const uint4*>(largest + part * filled + column));
  mine = largest_of_warps(mine);
  if (column >= filled) return;
  const int4 shift =
      make_int4(shift_of(mine.x), shift_of(mine.y), shift_of(mine.z), shift_of(mine.w));
  if (first == 0 && warp == 0) {
    const int2 x = scale_back(shift.x), y = scale_back(shift.y), z = scale_back(shift.z),
               w = scale_back(shift.w);
    int4* const to = reinterpret_cast<int4*>(scales + column);
    to[0] = make_int4(x.x, x.y, y.x, y.y);
    to[1] = make_int4(z.x, z.y, w.x, w.y);
  }

  const float4 scale = make_float4(power_of_2(shift.x), power_of_2(shift.y), power_of_2(shift.z),
                                   power_of_2(shift.w));
  const std::int64_t end = (k + together - 1) / together * together;
#pragma unroll 8
  for (int row = warp; row < split_k; row += strip_warps) {
    const std::int64_t p = first + row;
    if (p >= end) continue;
    const float4 x = load4<wide>(b, k, n, p, column);
    write_halves(halves + (p / together * 2 * together + p % together) * filled + column,
                 together * filled,
                 make_float4(x.x * scale.x, x.y * scale.y, x.z * scale.z, x.w * scale.w));
  }
}

/// The factors of a problem as halves, in its workspace.
struct Halves {
  std::int64_t k, columns;  // of the halves of B: 2 k' and n', filled up; those of A have k columns
  unsigned short *a, *b;
  int2 *row_scales, *column_scales;  // scale_back(s) of A's rows, and of B's columns, filled up
  unsigned* largest;
  std::size_t bytes;

  Halves(const Problem& problem, void* workspace)
      : k((problem.k + together - 1) / together * 2 * together),
        columns((problem.n + 7) / 8 * 8),
        bytes(0) {
    const auto take = [&](auto*& part, std::int64_t count) {
      part = reinterpret_cast<std::remove_reference_t<decltype(part)>>(
          static_cast<std::byte*>(workspace) + bytes);
      bytes += (static_cast<std::size_t>(count) * sizeof *part + 255) / 256 * 256;
    };
    take(a, problem.m * k);
    take(b, k * columns);
    take(row_scales, problem.m);
    take(column_scales, columns);
    take(largest, (problem.k + measured_k - 1) / measured_k * columns);
  }
};

/// Splits both factors. Neither m nor n is 0.
static Halves split(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const auto [m, n, k, dtype] = problem;
  const Halves halves(problem, operands.workspace);
  const auto *const a = static_cast<const float*>(operands.a), *const b = static_cast<const float*>(
                                                                   operands.b);
  const bool wide = n % 4 == 0;
  const unsigned strips = device::blocks_for(n, strip);
  device::launch({.grid = dim3(static_cast<unsigned>(m)), .block = dim3(splitting)}, stream,
                 k % 4 == 0 ? split_rows_kernel<true> : split_rows_kernel<false>, m, k, a, halves.a,
                 halves.row_scales);
  device::launch(
      {.grid = dim3(strips, device::blocks_for(k, measured_k)), .block = dim3(splitting)}, stream,
      wide ? measure_columns_kernel<true> : measure_columns_kernel<false>, k, n, halves.columns, b,
      halves.largest);
  device::launch({.grid = dim3(strips, std::max(device::blocks_for(k, split_k), 1u)),
                  .block = dim3(splitting)},
                 stream, wide ? split_columns_kernel<true> : split_columns_kernel<false>, k, n,
                 halves.columns, b, halves.largest, halves.b, halves.column_scales);
  return halves;
}

inline std::size_t halves_bytes(const Problem& problem) { return Halves(problem, nullptr).bytes; }

/// Writes two neighbouring sums to C, of which `inside` are inside of it, each times 2^-s of its
/// row and of its column. `even` promises that n is, and `inside` is not 1.
template <bool even>
__device__ __forceinline__ void store_scaled_back(float* to, int inside, int2 of_row,
                                                  int4 of_columns, float first, float second) {
  // 2^-s of both may lie outside f32's range: so half of it twice.
  const auto power = [](int x, int y) { return __int_as_float((127 << 23) + x + y); };
  const float x = first * power(of_row.x, of_columns.x) * power(of_row.y, of_columns.y),
              y = second * power(of_row.x, of_columns.z) * power(of_row.y, of_columns.w);
  if constexpr (even) {
    if (inside > 0) *reinterpret_cast<float2*>(to) = make_float2(x, y);
  } else {
    if (inside > 0) to[0] = x;
    if (inside > 1) to[1] = y;
  }
}

/// The scales of two neighbouring columns, the first one even, of which `inside` are inside of C.
__device__ __forceinline__ int4 scales_of_columns(const int2* scales, int inside) {
  return inside > 0 ? *reinterpret_cast<const int4*>(scales) : make_int4(0, 0, 0, 0);
}

}  // namespace ridgeline::gemm::on_cuda
