#pragma once

#include <cstddef>
#include <cstdint>

#include "harness/device/kernel.hpp"
#include "kernels/attention_backward/cuda/sm_90a/tiles.cuh"
#include "kernels/ptx/matrices.cuh"
#include "kernels/ptx/mma.cuh"

// What stands before and behind the kernel with the products: the numbers of each row, and dQ from
// its sums. Both are bound by DRAM.
namespace ridgeline::attention_backward::on_cuda {

constexpr int row_threads = 256, lane_elements = 8;  // of 16 bytes

__device__ __forceinline__ float sum_of_products(unsigned a, unsigned b) {
  return __uint_as_float(a << 16) * __uint_as_float(b << 16) +
         __uint_as_float(a & 0xFFFF0000u) * __uint_as_float(b & 0xFFFF0000u);
}

/// L in units of log 2, D, and no additions and no tickets yet: with `zeros`, dQ's sums are 0, else
/// `turns` are, and the tickets of as many sets as there may be.
/// Of 16 rows, numbers lie in the order in which the threads of scores need them: 0 1 8 9, 2 3 10
/// 11, ...
template <int dim, int tile_rows, bool zeros>
__global__ void __launch_bounds__(row_threads)
    prepare_rows(const uint4* o, const uint4* d_o, const float* logarithms, int seq, Between to) {
  constexpr int lanes_of_row = dim / lane_elements;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % lanes_of_row,
            head = static_cast<int>(blockIdx.y),
            row =
                static_cast<int>(blockIdx.x) * (row_threads / lanes_of_row) + thread / lanes_of_row;
  if (zeros && blockIdx.x == 0 && head == 0 && thread == 0) *to.tickets = 0;
  float d = 0, logarithm = INFINITY;
  if (row < seq) {
    const std::int64_t at = std::int64_t{head} * seq + row;
    const uint4 a = o[at * lanes_of_row + lane], b = d_o[at * lanes_of_row + lane];
    d = sum_of_products(a.x, b.x) + sum_of_products(a.y, b.y) + sum_of_products(a.z, b.z) +
        sum_of_products(a.w, b.w);
    constexpr float log2_e = 1.44269504f;
    if (lane == 0) logarithm = logarithms[at] * log2_e;
  }
#pragma unroll
  for (int step = lanes_of_row / 2; step > 0; step /= 2) d += __shfl_xor_sync(0xFFFFFFFFu, d, step);
  if (row >= to.padded) return;
  const std::int64_t first = std::int64_t{head} * to.padded;
  if (lane == 0) {
    const int in_tile = row % tile_rows,
              place = in_tile / 16 * 16 + row / 2 % 4 * 4 + row / 8 % 2 * 2 + row % 2;
    float* const numbers = to.row_numbers + (first + row - in_tile) * 2 + place;
    numbers[0] = logarithm;
    numbers[tile_rows] = d;
  }
  if constexpr (zeros) {
    auto* const sums = reinterpret_cast<float4*>(to.dq) + (first + row) * (dim / 4) + lane;
    sums[0] = sums[lanes_of_row] = make_float4(0, 0, 0, 0);
  } else if (lane == 0) {
    if (row % tile_rows < 2) to.turns[(first + row) / tile_rows * 2 + row % tile_rows] = 0;
    if (row % tile_keys == 0 && row < seq)
      to.tickets[head * ((seq + tile_keys - 1) / tile_keys) + row / tile_keys] = 0;
  }
}

/// dQ of a tile: its sums by `factor`, from the order of the threads that made them to rows.
template <int dim, int rows>
__global__ void __launch_bounds__(row_threads)
    finish_queries(const float4* sums, uint4* dq, int seq, int padded, float factor) {
  using In = Layout<dim, rows>;
  constexpr int lanes_of_row = dim / lane_elements, pitch = dim + 8;  // no bank conflicts
  __shared__ __align__(16) unsigned short tile[rows * pitch];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32 % 4,
            half = thread / 128, m = static_cast<int>(blockIdx.x),
            head = static_cast<int>(blockIdx.y);
  const float4* const from = sums + (std::int64_t{head} * padded + m * rows) * (dim / 4) +
                             half * (In::half_of_dq / 4) + thread % 128;
  constexpr int next_half = In::pieces == 1 ? In::dq_queries * pitch : dim / 2;
  unsigned short* const to =
      tile + (lane / 16 * 8 + lane % 8) * pitch + half * next_half + warp * 16 + lane / 8 % 2 * 8;
#pragma unroll
  for (int j = 0; j < In::dq_queries / 8; j += 2) {
    const float4 x = from[j * 128], y = from[(j + 1) * 128];
    using Type = ptx::Bf16;
    const unsigned packed[4] = {ptx::pack(Type{}, x.x * factor, x.y * factor),
                                ptx::pack(Type{}, x.z * factor, x.w * factor),
                                ptx::pack(Type{}, y.x * factor, y.y * factor),
                                ptx::pack(Type{}, y.z * factor, y.w * factor)};
    ptx::store_matrices_transposed(to + j * 8 * pitch, packed);
  }
  __syncthreads();
  for (int i = thread; i < rows * lanes_of_row; i += row_threads) {
    const int row = m * rows + i / lanes_of_row;
    if (row < seq)
      dq[(std::int64_t{head} * seq + row) * lanes_of_row + i % lanes_of_row] =
          *reinterpret_cast<const uint4*>(tile + i / lanes_of_row * pitch +
                                          i % lanes_of_row * lane_elements);
  }
}

}  // namespace ridgeline::attention_backward::on_cuda
