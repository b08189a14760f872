#include "harness/device/kernel.hpp"
#include "kernels/gemm/cuda_support.hpp"
#include "kernels/gemm/gemm.hpp"

// One thread per element of C. Deliberately uncoalesced: the lanes of a warp take 32 rows of one
// column, so that a load of A and a store of C touch 32 sectors, and only the load of B is shared
// by the warp. Bound by L1 and L2 transactions: 33 sectors per warp for 32 multiply-adds.

namespace ridgeline::gemm::on_cuda {
namespace {

constexpr int rows = 32, columns = 8;

__global__ void __launch_bounds__(rows* columns)
    naive_kernel(std::int64_t m, std::int64_t n, std::int64_t k, const float* a, const float* b,
                 float* c, std::int64_t tile_columns) {
  const std::int64_t i = blockIdx.x / tile_columns * rows + threadIdx.x;
  const std::int64_t j = blockIdx.x % tile_columns * columns + threadIdx.y;
  if (i >= m || j >= n) return;
  float sum = 0;
  for (std::int64_t p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
  c[i * n + j] = sum;
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const Tiles tiles(problem, rows, columns);
  device::launch({.grid = dim3(tiles.count()), .block = dim3(rows, columns)}, stream, naive_kernel,
                 problem.m, problem.n, problem.k, static_cast<const float*>(operands.a),
                 static_cast<const float*>(operands.b), static_cast<float*>(operands.c),
                 tiles.columns);
}

}  // namespace

Variant naive() {
  return {"one thread per element, lanes along a column: uncoalesced",
          {DType::f32},
          f32_only,
          launch,
          nullptr,
          // Of A 32 rows, of B one element.
          {.sectors_per_load = 16.5, .sectors_per_store = 32}};
}

}  // namespace ridgeline::gemm::on_cuda
