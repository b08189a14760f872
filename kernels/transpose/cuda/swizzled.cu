#include "kernels/transpose/cuda/grid.cuh"

// As padded, without the padding: column c of row r stands at column c ^ r, so that a column falls
// into 32 different banks, and the tile takes 4 KiB and no more. Bound by DRAM.
namespace ridgeline::transpose::on_cuda {
namespace {

__global__ void __launch_bounds__(threads)
    transpose_swizzled(const float* in, float* out, std::int64_t rows, std::int64_t cols) {
  __shared__ float held[tile][tile];
  const Corner from = corner(cols);
#pragma unroll
  for (int j = 0; j < tile; j += block_rows) {
    const unsigned y = threadIdx.y + j;
    const std::int64_t row = from.row + y, col = from.col + threadIdx.x;
    if (row < rows && col < cols) held[y][threadIdx.x ^ y] = in[row * cols + col];
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < tile; j += block_rows) {
    const unsigned y = threadIdx.y + j;
    const std::int64_t row = from.row + threadIdx.x, col = from.col + y;
    if (row < rows && col < cols) out[col * rows + row] = held[threadIdx.x][y ^ threadIdx.x];
  }
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  device::launch(grid_for(problem), stream, transpose_swizzled, operands.in, operands.out,
                 problem.rows, problem.cols);
}

}  // namespace

Variant swizzled() {
  return {"mixes the columns of the shared tile by the row: 32 banks without padding",
          any_shape,
          launch,
          [](const Problem& problem) { return traffic(problem, 4, 4); },
          {.sectors_per_load = 4, .sectors_per_store = 4, .wavefronts_per_shared_request = 1}};
}

}  // namespace ridgeline::transpose::on_cuda
