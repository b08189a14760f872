#include "harness/device/kernel.hpp"
#include "kernels/gemm/cuda_support.hpp"
#include "kernels/gemm/gemm.hpp"

// `naive` with the lanes of a warp along a row of C: a load of B and a store of C take the 4
// sectors that 32 floats fill, and the load of A is shared by the warp. Bound by L1 loads: two load
// instructions for each multiply-add.

namespace ridgeline::gemm::on_cuda {
namespace {

constexpr int rows = 8, columns = 32;

__global__ void __launch_bounds__(rows* columns)
    coalesced_kernel(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b,
                     float* c, std::int64_t tile_columns) {
  const std::int64_t i = blockIdx.x / tile_columns * rows + threadIdx.y;
  const std::int64_t j = blockIdx.x % tile_columns * columns + threadIdx.x;
  if (i >= m || j >= n) return;
  float sum = 0;
  for (std::int64_t p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
  c[i * n + j] = sum;
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const Tiles tiles(problem, rows, columns);
  device::launch({.grid = dim3(tiles.count()), .block = dim3(columns, rows)}, stream,
                 coalesced_kernel, problem.m, problem.n, problem.k,
                 static_cast<const float*>(operands.a), static_cast<const float*>(operands.b),
                 static_cast<float*>(operands.c), tiles.columns);
}

}  // namespace

Variant coalesced() {
  return {"one thread per element, lanes along a row: coalesced",
          {DType::f32},
          f32_only,
          launch,
          nullptr,
          // Of A one element, of B a row.
          {.sectors_per_load = 2.5, .sectors_per_store = 4}};
}

}  // namespace ridgeline::gemm::on_cuda
