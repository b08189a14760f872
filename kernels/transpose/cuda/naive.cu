#include "kernels/transpose/cuda/grid.cuh"

// Reads along rows, writes down columns: each of a warp's 32 writes touches a sector of its own, of
// which it fills an eighth. Neighbouring writes meet in L2, if it still holds the sector. Bound by
// write requests.
namespace ridgeline::transpose::on_cuda {
namespace {

__global__ void __launch_bounds__(threads)
    transpose_directly(const float* in, float* out, std::int64_t rows, std::int64_t cols) {
  const Corner from = corner(cols);
  const std::int64_t col = from.col + threadIdx.x;
#pragma unroll
  for (int j = 0; j < tile; j += block_rows) {
    const std::int64_t row = from.row + threadIdx.y + j;
    if (row < rows && col < cols) out[col * rows + row] = in[row * cols + col];
  }
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  device::launch(grid_for(problem), stream, transpose_directly, operands.in, operands.out,
                 problem.rows, problem.cols);
}

}  // namespace

Variant naive() {
  return {"reads along rows and writes down columns",
          any_shape,
          launch,
          [](const Problem& problem) {
            return traffic(problem, 4, kernels::sectors_of_warp(0, problem.rows * 4, 4));
          },
          {.sectors_per_load = 4, .sectors_per_store = 32}};
}

}  // namespace ridgeline::transpose::on_cuda
