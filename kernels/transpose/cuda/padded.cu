#include "kernels/transpose/cuda/grid.cuh"

// As tiled, with rows of the tile one float longer, so that a column falls into 32 different banks.
// Bound by DRAM.
namespace ridgeline::transpose::on_cuda {
namespace {

__global__ void __launch_bounds__(threads)
    transpose_tile(const float* in, float* out, std::int64_t rows, std::int64_t cols) {
  __shared__ float held[tile][tile + 1];
  const Corner from = corner(cols);
#pragma unroll
  for (int j = 0; j < tile; j += block_rows) {
    const std::int64_t row = from.row + threadIdx.y + j, col = from.col + threadIdx.x;
    if (row < rows && col < cols) held[threadIdx.y + j][threadIdx.x] = in[row * cols + col];
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < tile; j += block_rows) {
    const std::int64_t row = from.row + threadIdx.x, col = from.col + threadIdx.y + j;
    if (row < rows && col < cols) out[col * rows + row] = held[threadIdx.x][threadIdx.y + j];
  }
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  device::launch(grid_for(problem), stream, transpose_tile, operands.in, operands.out, problem.rows,
                 problem.cols);
}

}  // namespace

Variant padded() {
  return {"pads the rows of the shared tile by a float: its columns fall into 32 banks",
          any_shape,
          launch,
          [](const Problem& problem) { return traffic(problem, 4, 4); },
          {.sectors_per_load = 4, .sectors_per_store = 4, .wavefronts_per_shared_request = 1}};
}

}  // namespace ridgeline::transpose::on_cuda
