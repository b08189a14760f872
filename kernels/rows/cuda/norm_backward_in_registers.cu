#include "kernels/rows/cuda/backward.cuh"

// Blocks stay and take one row after the other: x and dy are read once, into registers, and the
// gradients of gamma and beta gather in registers, too (backward.cuh). Bound by how few bytes are
// under way: a row is asked for only when the one before is written.
namespace ridgeline::rows::on_cuda {
namespace {

constexpr int count = 2;  // of four, LayerNorm's gradients take more registers than there are

template <class Element, bool layer>
__global__ void __launch_bounds__(backward_threads)
    backward_in_registers_kernel(int rows, int vectors, std::int64_t stride, const uint4* x,
                                 const uint4* dy, const uint4* gamma, const float* rstds,
                                 const float* means, uint4* dx, float* sums) {
  __shared__ float2 shared[2][most_warps];
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  const auto inside = [=](int j) { return thread + j * threads < vectors; };
  const float per_col = 1 / (static_cast<float>(vectors) * lanes_of<Element>);
  const uint4 zeros = make_uint4(0, 0, 0, 0);
  Columns<Element, layer, count> columns;
  uint4 held_gamma[count];
#pragma unroll
  for (int j = 0; j < count; ++j)
    held_gamma[j] = inside(j) ? __ldg(gamma + thread + j * threads) : zeros;
  int turn = 0;
  for (int row = static_cast<int>(blockIdx.x); row < rows;
       row += static_cast<int>(gridDim.x), turn ^= 1) {
    const std::int64_t first = std::int64_t{row} * vectors + thread;
    uint4 held_x[count], held_dy[count];
#pragma unroll
    for (int j = 0; j < count; ++j) {
      held_x[j] = inside(j) ? load_once(x + first + j * threads) : zeros;
      held_dy[j] = inside(j) ? load_once(dy + first + j * threads) : zeros;
    }
    const float rstd = rstds[row], mean = layer ? means[row] : 0;
    float2 of_row = make_float2(0, 0);
#pragma unroll
    for (int j = 0; j < count; ++j)
      columns.add(j, held_x[j], held_dy[j], held_gamma[j], rstd, mean, of_row);
    of_row = means_over_block<layer>(of_row, per_col, shared[turn]);
#pragma unroll
    for (int j = 0; j < count; ++j)
      if (inside(j))
        store_once(dx + first + j * threads,
                   columns.dx(held_x[j], held_dy[j], held_gamma[j], rstd, mean, of_row));
  }
  float* const to = columns.place(sums, stride, blockIdx.x);
#pragma unroll
  for (int j = 0; j < count; ++j)
    if (inside(j)) columns.write(to, stride, j, thread + j * threads);
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  if (problem.cols == 0) return;
  const Spread spread = spread_of(problem);
  const unsigned blocks = blocks_of(problem, device::units(stream));
  with_element(problem, [&]<class Element>(Element) {
    const auto start = [&](auto kernel) {
      device::launch({.grid = dim3(blocks), .block = dim3(spread.threads)}, stream, kernel,
                     static_cast<int>(problem.rows), vectors_of_row(problem), problem.side_stride(),
                     static_cast<const uint4*>(operands.x), static_cast<const uint4*>(operands.dy),
                     static_cast<const uint4*>(operands.gamma), operands.rstd, operands.mean,
                     static_cast<uint4*>(operands.out), static_cast<float*>(operands.workspace));
    };
    start(problem.is_layer() ? backward_in_registers_kernel<Element, true>
                             : backward_in_registers_kernel<Element, false>);
  });
  start_sum_of_blocks(problem, operands, blocks, stream, false);
}

}  // namespace

Variant norm_backward_in_registers() {
  return {
      "blocks that stay: each row read once, gradients of gamma and beta in registers",
      {Operation::layer_norm_backward, Operation::rms_norm_backward},
      {DType::f32, DType::bf16},
      3,
      2,
      [](const Problem& problem, const device::Facts&) { return rows_of_blocks(problem, count); },
      launch,
      sums_of_blocks,
      {.sectors_per_load = 9.46, .sectors_per_store = 15, .wavefronts_per_shared_request = 1}};
}

}  // namespace ridgeline::rows::on_cuda
