#include "kernels/rows/cuda/softmax.cuh"

// A block a row, element by element, in three passes over it: the maximum, the sum, the output.
// Bound by the requests, which are four times as many elements; of long rows by DRAM, since what is
// read again has left the caches.
namespace ridgeline::rows::on_cuda {
namespace {

constexpr int threads = 256;

template <class Element>
__global__ void __launch_bounds__(threads)
    softmax_naive_kernel(std::int64_t cols, const Element* x, Element* out) {
  __shared__ float shared[most_warps];
  __shared__ float tops[most_warps];
  const Element* const row = x + std::int64_t{blockIdx.x} * cols;
  float top = lowest, sum = 0;
  for (std::int64_t col = threadIdx.x; col < cols; col += threads)
    top = fmaxf(top, widen(row[col]));
  top = most_of_warp(top);
  if (lane() == 0) tops[warp()] = top;
  __syncthreads();
  top = most_of_warp(lane() < warps() ? tops[lane()] : lowest);
  for (std::int64_t col = threadIdx.x; col < cols; col += threads)
    sum += power(widen(row[col]), top);
  const float scale = scale_of(sum_over_block(sum, shared));
  Element* const to = out + std::int64_t{blockIdx.x} * cols;
  for (std::int64_t col = threadIdx.x; col < cols; col += threads)
    to[col] = narrow<Element>(power(widen(row[col]), top) * scale);
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  if (problem.elements() == 0) return;
  with_element(problem, [&]<class Element>(Element) {
    device::launch({.grid = dim3(static_cast<unsigned>(problem.rows)), .block = dim3(threads)},
                   stream, softmax_naive_kernel<Element>, problem.cols,
                   static_cast<const Element*>(operands.x), static_cast<Element*>(operands.out));
  });
}

}  // namespace

Variant softmax_naive() {
  return {"a pass over the row for the maximum, the sum and the output, element by element",
          {Operation::softmax},
          {DType::f32, DType::bf16},
          4,
          1,
          [](const Problem& problem, const device::Facts&) {
            return any_row(problem, {Operation::softmax});
          },
          launch,
          nullptr,
          {.sectors_per_load = 4, .sectors_per_store = 4, .wavefronts_per_shared_request = 1}};
}

}  // namespace ridgeline::rows::on_cuda
