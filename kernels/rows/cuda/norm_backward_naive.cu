#include "kernels/rows/cuda/row.cuh"

// Two kernels that each read x and dy: one has a block a row and reads it twice, for its two sums
// and for dx; the other has a block for 32 columns and goes down all rows, for dgamma and dbeta.
// So many elements are read six times, and the second kernel has few blocks. Deterministic.
namespace ridgeline::rows::on_cuda {
namespace {

constexpr int threads = 256, groups = threads / 32;

/// Device memory of one problem.
template <class Element>
struct Arrays {
  std::int64_t rows, cols;
  const Element *x, *dy, *gamma;
  const float *rstd, *mean;  // mean null: RMSNorm
};

template <class Element>
__global__ void __launch_bounds__(threads) rows_kernel(Arrays<Element> of, Element* dx) {
  __shared__ float shared[most_warps];
  const std::int64_t first = std::int64_t{blockIdx.x} * of.cols;
  const float rstd = of.rstd[blockIdx.x], mean = of.mean == nullptr ? 0 : of.mean[blockIdx.x];
  const auto h = [&](std::int64_t col) { return (widen(of.x[first + col]) - mean) * rstd; };
  const auto c = [&](std::int64_t col) { return widen(of.dy[first + col]) * widen(of.gamma[col]); };
  float a = 0, b = 0;
  for (std::int64_t col = threadIdx.x; col < of.cols; col += threads) {
    a += c(col);
    b += c(col) * h(col);
  }
  const float n = static_cast<float>(of.cols);
  a = of.mean == nullptr ? 0 : sum_over_block(a, shared) / n;
  b = sum_over_block(b, shared) / n;
  for (std::int64_t col = threadIdx.x; col < of.cols; col += threads)
    dx[first + col] = narrow<Element>(rstd * (c(col) - a - h(col) * b));
}

template <class Element>
__global__ void __launch_bounds__(threads)
    columns_kernel(Arrays<Element> of, float* dgamma, float* dbeta) {
  __shared__ float gradients[groups][32], biases[groups][32];
  const std::int64_t col = std::int64_t{blockIdx.x} * 32 + lane();
  float gradient = 0, bias = 0;
  if (col < of.cols)
    for (std::int64_t row = warp(); row < of.rows; row += groups) {
      const float dy = widen(of.dy[row * of.cols + col]),
                  mean = of.mean == nullptr ? 0 : of.mean[row];
      gradient += dy * ((widen(of.x[row * of.cols + col]) - mean) * of.rstd[row]);
      bias += dy;
    }
  gradients[warp()][lane()] = gradient;
  biases[warp()][lane()] = bias;
  __syncthreads();
  if (warp() != 0 || col >= of.cols) return;
  for (int group = 1; group < groups; ++group) {
    gradient += gradients[group][lane()];
    bias += biases[group][lane()];
  }
  dgamma[col] = gradient;
  if (of.mean != nullptr) dbeta[col] = bias;
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  if (problem.cols == 0) return;
  with_element(problem, [&]<class Element>(Element) {
    const Arrays<Element> of{problem.rows,
                             problem.cols,
                             static_cast<const Element*>(operands.x),
                             static_cast<const Element*>(operands.dy),
                             static_cast<const Element*>(operands.gamma),
                             operands.rstd,
                             problem.is_layer() ? operands.mean : nullptr};
    device::launch({.grid = dim3(static_cast<unsigned>(problem.rows)), .block = dim3(threads)},
                   stream, rows_kernel<Element>, of, static_cast<Element*>(operands.out));
    device::launch({.grid = dim3(device::blocks_for(problem.cols, 32)), .block = dim3(threads)},
                   stream, columns_kernel<Element>, of, operands.side(problem, 0),
                   operands.side(problem, 1));
  });
}

}  // namespace

Variant norm_backward_naive() {
  return {"a kernel for rows that reads them twice, and one for columns; no atomics",
          {Operation::layer_norm_backward, Operation::rms_norm_backward},
          {DType::f32, DType::bf16},
          7,
          2,
          [](const Problem& problem, const device::Facts&) {
            return any_row(problem, {Operation::rms_norm_backward, Operation::layer_norm_backward});
          },
          launch,
          nullptr,
          {.sectors_per_load = 3.3, .sectors_per_store = 4, .wavefronts_per_shared_request = 1}};
}

}  // namespace ridgeline::rows::on_cuda
