#include <type_traits>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "harness/device/kernel.hpp"
#include "kernels/gemm/cuda_support.hpp"
#include "kernels/gemm/gemm.hpp"
#include "kernels/ptx/wmma.cuh"

// Tensor cores through nvcuda::wmma: 16-bit factors, f32 sums. A block of 8 warps makes 128 x 128
// of C from tiles 32 deep in shared memory; a warp holds 64 x 32 of it in eight 16 x 16 fragments.
// Global loads are 16 bytes wide where rows start at multiples of 16 bytes. Bound by shared memory
// and latency: 6 fragment loads feed 8 products, and loading does not overlap with multiplying.

namespace ridgeline::gemm::on_cuda {
namespace {

namespace tensor = nvcuda::wmma;

constexpr int tile_m = 128, tile_n = 128, tile_k = 32, threads = 256;
constexpr int warp_m = 64, warp_n = 32, edge = 16;
// Rows are padded by 16 bytes: eight rows of a fragment then fall into different banks.
constexpr int a_stride = tile_k + 8, b_stride = tile_n + 8, c_stride = edge + 4;

/// Copies a tile_rows x tile_columns tile at (row0, column0) of a rows x columns matrix to shared
/// memory, with zeros beyond the edges. Elements move as bits. `wide` promises that columns is a
/// multiple of 8.
template <bool wide, int tile_rows, int tile_columns, int stride>
__device__ __forceinline__ void load_tile(const unsigned short* matrix, std::int64_t rows,
                                          std::int64_t columns, std::int64_t row0,
                                          std::int64_t column0, unsigned short* tile) {
  const int rows_inside = static_cast<int>(min(rows - row0, std::int64_t{tile_rows}));
  const int columns_inside = static_cast<int>(min(columns - column0, std::int64_t{tile_columns}));
  const unsigned short* from = matrix + row0 * columns + column0;
  if constexpr (wide) {
    constexpr int a_row = tile_columns / 8;
#pragma unroll
    for (int piece = 0; piece < tile_rows * a_row / threads; ++piece) {
      const int index = static_cast<int>(threadIdx.x) + piece * threads, row = index / a_row,
                column = index % a_row * 8;
      uint4 eight = make_uint4(0, 0, 0, 0);
      if (row < rows_inside && column < columns_inside)
        eight = *reinterpret_cast<const uint4*>(from + row * columns + column);
      *reinterpret_cast<uint4*>(tile + row * stride + column) = eight;
    }
  } else {
#pragma unroll 2
    for (int index = threadIdx.x; index < tile_rows * tile_columns; index += threads) {
      const int row = index / tile_columns, column = index % tile_columns;
      const bool inside = row < rows_inside && column < columns_inside;
      tile[row * stride + column] = inside ? from[row * columns + column] : 0;
    }
  }
}

template <class Element>
__device__ __forceinline__ Element narrow(float value) {
  if constexpr (std::is_same_v<Element, __half>)
    return __float2half(value);
  else
    return __float2bfloat16(value);
}

template <class Element, bool wide>
__global__ void __launch_bounds__(threads, wide ? 2 : 1)
    wmma_kernel(std::int64_t m, std::int64_t n, std::int64_t k, const unsigned short* a,
                const unsigned short* b, Element* c, std::int64_t tile_columns) {
  // The tiles of A and B while multiplying, then a 16 x 16 square of C for each warp.
  __shared__ __align__(128) unsigned short tiles[tile_m * a_stride + tile_k * b_stride];
  static_assert(sizeof(tiles) >= threads / 32 * edge * c_stride * sizeof(float));
  unsigned short* const a_tile = tiles;
  unsigned short* const b_tile = tiles + tile_m * a_stride;
  const std::int64_t i0 = blockIdx.x / tile_columns * tile_m,
                     j0 = blockIdx.x % tile_columns * tile_n;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int i = warp / (tile_n / warp_n) * warp_m, j = warp % (tile_n / warp_n) * warp_n;

  tensor::fragment<tensor::accumulator, edge, edge, edge, float> sums[warp_m / edge][warp_n / edge];
#pragma unroll
  for (auto& row : sums)
#pragma unroll
    for (auto& sum : row) tensor::fill_fragment(sum, 0.0f);

  for (std::int64_t p = 0; p < k; p += tile_k) {
    load_tile<wide, tile_m, tile_k, a_stride>(a, m, k, i0, p, a_tile);
    load_tile<wide, tile_k, tile_n, b_stride>(b, k, n, p, j0, b_tile);
    __syncthreads();
#pragma unroll
    for (int q = 0; q < tile_k; q += edge) {
      tensor::fragment<tensor::matrix_b, edge, edge, edge, Element, tensor::row_major>
          right[warp_n / edge];
#pragma unroll
      for (int column = 0; column < warp_n / edge; ++column)
        tensor::load_matrix_sync(
            right[column],
            reinterpret_cast<const Element*>(b_tile + q * b_stride + j + column * edge), b_stride);
#pragma unroll
      for (int row = 0; row < warp_m / edge; ++row) {
        tensor::fragment<tensor::matrix_a, edge, edge, edge, Element, tensor::row_major> left;
        tensor::load_matrix_sync(
            left, reinterpret_cast<const Element*>(a_tile + (i + row * edge) * a_stride + q),
            a_stride);
#pragma unroll
        for (int column = 0; column < warp_n / edge; ++column)
          tensor::mma_sync(sums[row][column], left, right[column], sums[row][column]);
      }
    }
    __syncthreads();
  }

  // A fragment's layout is not specified, so each goes through shared memory to be rounded and
  // guarded: a lane writes a column of every second row.
  float* const square = reinterpret_cast<float*>(tiles) + warp * edge * c_stride;
  const int first_row = lane / edge, column_in_square = lane % edge;
  Element* const to = c + (i0 + i + first_row) * n + j0 + j + column_in_square;
  const int rows_inside = static_cast<int>(min(m - (i0 + i + first_row), std::int64_t{warp_m}));
  const int columns_inside =
      static_cast<int>(min(n - (j0 + j + column_in_square), std::int64_t{warp_n}));
#pragma unroll
  for (int row = 0; row < warp_m; row += edge) {
#pragma unroll
    for (int column = 0; column < warp_n; column += edge) {
      tensor::store_matrix_sync(square, sums[row / edge][column / edge], c_stride,
                                tensor::mem_row_major);
      __syncwarp();
#pragma unroll 1
      for (int r = 0; r < edge; r += 2)
        if (row + r < rows_inside && column < columns_inside)
          to[(row + r) * n + column] =
              narrow<Element>(square[(first_row + r) * c_stride + column_in_square]);
      __syncwarp();
    }
  }
}

template <class Element>
void launch_as(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const Tiles tiles(problem, tile_m, tile_n);
  const bool wide = problem.n % 8 == 0 && problem.k % 8 == 0;
  device::launch({.grid = dim3(tiles.count()), .block = dim3(threads)}, stream,
                 wide ? wmma_kernel<Element, true> : wmma_kernel<Element, false>, problem.m,
                 problem.n, problem.k, static_cast<const unsigned short*>(operands.a),
                 static_cast<const unsigned short*>(operands.b), static_cast<Element*>(operands.c),
                 tiles.columns);
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  if (problem.dtype == DType::f16)
    launch_as<__half>(problem, operands, stream);
  else
    launch_as<__nv_bfloat16>(problem, operands, stream);
}

}  // namespace

Variant wmma() {
  return {"tensor cores through wmma, tiles in shared memory",
          {DType::bf16, DType::f16},
          halves_only,
          launch,
          nullptr,
          {.sectors_per_load = 16, .sectors_per_store = 2, .wavefronts_per_shared_request = 3.4}};
}

}  // namespace ridgeline::gemm::on_cuda
