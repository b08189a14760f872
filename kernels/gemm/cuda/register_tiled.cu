#include "harness/device/kernel.hpp"
#include "kernels/gemm/cuda_support.hpp"
#include "kernels/gemm/gemm.hpp"

// A thread keeps 8 x 8 sums in registers, where `shared_tiled` keeps one: 16 floats from shared
// memory (four 16-byte loads) feed 64 multiply-adds. A block makes 128 x 128 of C from tiles 16
// deep; A is transposed on its way into shared memory, so that both factors are read by row. Global
// loads are 16 bytes wide where rows start at multiples of 16 bytes. Bound by the FMA pipe, less
// what the two barriers per tile leave idle: loading does not overlap with multiplying.

namespace ridgeline::gemm::on_cuda {
namespace {

constexpr int tile_m = 128, tile_n = 128, tile_k = 16, threads = 256;
constexpr int padded_m = tile_m + 4;  // halves the bank conflicts of the transposed stores; keeps
                                      // rows 16-byte aligned

/// Elements (row, column .. column + 3) of a rows x columns matrix; zeros beyond the edges. `wide`
/// promises that columns is a multiple of 4.
template <bool wide>
__device__ __forceinline__ float4 load4(const float* matrix, std::int64_t rows,
                                        std::int64_t columns, std::int64_t row,
                                        std::int64_t column) {
  if (row >= rows || column >= columns) return make_float4(0, 0, 0, 0);
  const float* from = matrix + row * columns + column;
  if constexpr (wide) return *reinterpret_cast<const float4*>(from);
  const std::int64_t n = columns - column;
  return make_float4(from[0], n > 1 ? from[1] : 0.f, n > 2 ? from[2] : 0.f, n > 3 ? from[3] : 0.f);
}

/// Writes value to elements (row, column .. column + 3), as far as they are inside.
template <bool wide>
__device__ __forceinline__ void store4(float* matrix, std::int64_t rows, std::int64_t columns,
                                       std::int64_t row, std::int64_t column, float4 value) {
  if (row >= rows || column >= columns) return;
  const std::int64_t first = row * columns + column;
  if constexpr (wide) {
    // Counted in whole float4: through a pointer to float, nvcc splits half of the stores into
    // words, since the address of a row's first store serves its second one, too.
    reinterpret_cast<float4*>(matrix)[first / 4] = value;
  } else {
    float* const to = matrix + first;
    const std::int64_t inside = columns - column;
    to[0] = value.x;
    if (inside > 1) to[1] = value.y;
    if (inside > 2) to[2] = value.z;
    if (inside > 3) to[3] = value.w;
  }
}

template <bool wide>
__global__ void __launch_bounds__(threads, 2)
    register_tiled_kernel(std::int64_t m, std::int64_t n, std::int64_t k, const float* a,
                          const float* b, float* c, std::int64_t tile_columns) {
  __shared__ __align__(16) float a_tile[tile_k][padded_m];
  __shared__ __align__(16) float b_tile[tile_k][tile_n];
  const std::int64_t i0 = blockIdx.x / tile_columns * tile_m,
                     j0 = blockIdx.x % tile_columns * tile_n;
  const int thread = threadIdx.x;
  // A thread's sums are four 4 x 4 squares, 64 apart, so that the 16-byte loads of a warp's threads
  // lie side by side.
  const int i = thread / 16 * 4, j = thread % 16 * 4;
  float sums[8][8] = {};

  for (std::int64_t p = 0; p < k; p += tile_k) {
#pragma unroll
    for (int part = 0; part < 2; ++part) {
      const int a_row = thread / 4 + 64 * part, a_column = thread % 4 * 4;
      const float4 from_a = load4<wide>(a, m, k, i0 + a_row, p + a_column);
      a_tile[a_column + 0][a_row] = from_a.x;
      a_tile[a_column + 1][a_row] = from_a.y;
      a_tile[a_column + 2][a_row] = from_a.z;
      a_tile[a_column + 3][a_row] = from_a.w;
      const int b_row = thread / 32 + 8 * part, b_column = thread % 32 * 4;
      *reinterpret_cast<float4*>(&b_tile[b_row][b_column]) =
          load4<wide>(b, k, n, p + b_row, j0 + b_column);
    }
    __syncthreads();
#pragma unroll
    for (int q = 0; q < tile_k; ++q) {
      const float4 a_low = *reinterpret_cast<const float4*>(&a_tile[q][i]);
      const float4 a_high = *reinterpret_cast<const float4*>(&a_tile[q][i + 64]);
      const float4 b_low = *reinterpret_cast<const float4*>(&b_tile[q][j]);
      const float4 b_high = *reinterpret_cast<const float4*>(&b_tile[q][j + 64]);
      const float left[8] = {a_low.x,  a_low.y,  a_low.z,  a_low.w,
                             a_high.x, a_high.y, a_high.z, a_high.w};
      const float right[8] = {b_low.x,  b_low.y,  b_low.z,  b_low.w,
                              b_high.x, b_high.y, b_high.z, b_high.w};
#pragma unroll
      for (int row = 0; row < 8; ++row)
#pragma unroll
        for (int column = 0; column < 8; ++column) sums[row][column] += left[row] * right[column];
    }
    __syncthreads();
  }

#pragma unroll
  for (int row = 0; row < 8; ++row) {
    const std::int64_t to_row = i0 + i + row % 4 + row / 4 * 64;
    store4<wide>(c, m, n, to_row, j0 + j,
                 make_float4(sums[row][0], sums[row][1], sums[row][2], sums[row][3]));
    store4<wide>(c, m, n, to_row, j0 + j + 64,
                 make_float4(sums[row][4], sums[row][5], sums[row][6], sums[row][7]));
  }
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const Tiles tiles(problem, tile_m, tile_n);
  const bool wide = problem.n % 4 == 0 && problem.k % 4 == 0;
  device::launch({.grid = dim3(tiles.count()), .block = dim3(threads)}, stream,
                 wide ? register_tiled_kernel<true> : register_tiled_kernel<false>, problem.m,
                 problem.n, problem.k, static_cast<const float*>(operands.a),
                 static_cast<const float*>(operands.b), static_cast<float*>(operands.c),
                 tiles.columns);
}

}  // namespace

Variant register_tiled() {
  return {"8 x 8 sums per thread in registers, 16-byte loads",
          {DType::f32},
          f32_only,
          launch,
          nullptr,
          {.sectors_per_load = 16, .sectors_per_store = 16, .wavefronts_per_shared_request = 2.92}};
}

}  // namespace ridgeline::gemm::on_cuda
