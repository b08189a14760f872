#include "kernels/rows/cuda/row.cuh"

// A block a row, element by element, in three passes over it: the mean, the squares about it, the
// output. Blocks of other rows evict a row from L1 before it is read again, and long rows from L2.
// Bound by the requests, which are four times as many elements.
namespace ridgeline::rows::on_cuda {
namespace {

constexpr int threads = 256;

template <class Element>
__global__ void __launch_bounds__(threads)
    norm_naive_kernel(bool layer, std::int64_t cols, const Element* x, const Element* gamma,
                      const Element* beta, Element* out, float* rstds, float* means) {
  __shared__ float shared[most_warps];
  const Element* const row = x + std::int64_t{blockIdx.x} * cols;
  const float n = static_cast<float>(cols);
  float mean = 0, squares = 0;
  if (layer) {
    for (std::int64_t col = threadIdx.x; col < cols; col += threads) mean += widen(row[col]);
    mean = sum_over_block(mean, shared) / n;
  }
  for (std::int64_t col = threadIdx.x; col < cols; col += threads) {
    const float apart = widen(row[col]) - mean;
    squares += apart * apart;
  }
  const float rstd = one_over_deviation(sum_over_block(squares, shared) / n);
  if (threadIdx.x == 0) {
    rstds[blockIdx.x] = rstd;
    if (layer) means[blockIdx.x] = mean;
  }
  Element* const to = out + std::int64_t{blockIdx.x} * cols;
  for (std::int64_t col = threadIdx.x; col < cols; col += threads) {
    const float y = (widen(row[col]) - mean) * rstd * widen(gamma[col]);
    to[col] = narrow<Element>(layer ? y + widen(beta[col]) : y);
  }
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  if (problem.elements() == 0) return;
  with_element(problem, [&]<class Element>(Element) {
    device::launch({.grid = dim3(static_cast<unsigned>(problem.rows)), .block = dim3(threads)},
                   stream, norm_naive_kernel<Element>, problem.is_layer(), problem.cols,
                   static_cast<const Element*>(operands.x),
                   static_cast<const Element*>(operands.gamma),
                   static_cast<const Element*>(operands.beta), static_cast<Element*>(operands.out),
                   operands.side(problem, 0), operands.side(problem, 1));
  });
}

}  // namespace

Variant norm_naive() {
  return {"a pass over the row for each sum, element by element",
          {Operation::layer_norm, Operation::rms_norm},
          {DType::f32, DType::bf16},
          4,
          1,
          [](const Problem& problem, const device::Facts&) {
            return any_row(problem, {Operation::rms_norm, Operation::layer_norm});
          },
          launch,
          nullptr,
          {.sectors_per_load = 4, .sectors_per_store = 4, .wavefronts_per_shared_request = 1}};
}

}  // namespace ridgeline::rows::on_cuda
