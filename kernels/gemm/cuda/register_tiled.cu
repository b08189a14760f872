#include "harness/device/kernel.hpp"
#include "kernels/gemm/cuda_support.hpp"
#include "kernels/gemm/gemm.hpp"

// A thread keeps 8 x 8 sums in registers, where `shared_tiled` keeps one: 16 floats from shared
// memory feed 64 multiply-adds. A block makes 128 x 128 of C from tiles 16 deep; A is transposed on
// its way into shared memory, so that both factors are read by row. Bound by shared memory and the
// FMA pipes alike: in the clock that one load of a warp takes, an SM's four quarters do a
// multiply-add of a warp each, and 16 loads feed 64 of them.

namespace ridgeline::gemm::on_cuda {
namespace {

constexpr int tile_m = 128, tile_n = 128, tile_k = 16, edge = 8, lanes = 16,
              threads = lanes * lanes;
constexpr int padded_m = tile_m + 2;  // two rows of A, 16 elements each, then go to 32 banks

__global__ void __launch_bounds__(threads, 2)
    register_tiled_kernel(std::int64_t m, std::int64_t n, std::int64_t k, const float* a,
                          const float* b, float* c, std::int64_t tile_columns) {
  __shared__ float a_tile[tile_k][padded_m];
  __shared__ float b_tile[tile_k][tile_n];
  const std::int64_t i0 = blockIdx.x / tile_columns * tile_m,
                     j0 = blockIdx.x % tile_columns * tile_n;
  const int thread = threadIdx.x;
  // A thread's sums are 16 rows and 16 columns apart, so that those of neighbours lie side by side.
  const int i = thread / lanes, j = thread % lanes;
  float sums[edge][edge] = {};

  for (std::int64_t p = 0; p < k; p += tile_k) {
    const int a_column = thread % tile_k, b_column = thread % tile_n;
#pragma unroll
    for (int part = 0; part < tile_m * tile_k / threads; ++part) {
      const int a_row = thread / tile_k + threads / tile_k * part,
                b_row = thread / tile_n + threads / tile_n * part;
      a_tile[a_column][a_row] =
          i0 + a_row < m && p + a_column < k ? a[(i0 + a_row) * k + p + a_column] : 0.0f;
      b_tile[b_row][b_column] =
          p + b_row < k && j0 + b_column < n ? b[(p + b_row) * n + j0 + b_column] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int q = 0; q < tile_k; ++q) {
      float left[edge], right[edge];
#pragma unroll
      for (int one = 0; one < edge; ++one) {
        left[one] = a_tile[q][i + one * lanes];
        right[one] = b_tile[q][j + one * lanes];
      }
#pragma unroll
      for (int row = 0; row < edge; ++row)
#pragma unroll
        for (int column = 0; column < edge; ++column)
          sums[row][column] += left[row] * right[column];
    }
    __syncthreads();
  }

#pragma unroll
  for (int row = 0; row < edge; ++row)
#pragma unroll
    for (int column = 0; column < edge; ++column) {
      const std::int64_t to_row = i0 + i + row * lanes, to_column = j0 + j + column * lanes;
      if (to_row < m && to_column < n) c[to_row * n + to_column] = sums[row][column];
    }
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const Tiles tiles(problem, tile_m, tile_n);
  device::launch({.grid = dim3(tiles.count()), .block = dim3(threads)}, stream,
                 register_tiled_kernel, problem.m, problem.n, problem.k,
                 static_cast<const float*>(operands.a), static_cast<const float*>(operands.b),
                 static_cast<float*>(operands.c), tiles.columns);
}

}  // namespace

Variant register_tiled() {
  return {"8 x 8 sums per thread in registers",
          {DType::f32},
          f32_only,
          launch,
          nullptr,
          {.sectors_per_load = 4, .sectors_per_store = 4, .wavefronts_per_shared_request = 1}};
}

}  // namespace ridgeline::gemm::on_cuda
