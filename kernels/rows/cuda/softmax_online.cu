#include "kernels/rows/cuda/softmax.cuh"

// Maximum and sum in one pass: where the maximum grows, the sum so far is rescaled (Milakov and
// Gimelshein 2018). The row is read twice instead of three times, at any length. Bound by the
// requests of single elements, three a piece, and of long rows by DRAM.
namespace ridgeline::rows::on_cuda {
namespace {

constexpr int threads = 512;

template <class Element>
__global__ void __launch_bounds__(threads)
    softmax_online_kernel(std::int64_t cols, const Element* x, Element* out) {
  __shared__ Part shared[most_warps];
  const Element* const row = x + std::int64_t{blockIdx.x} * cols;
  Part mine;
#pragma unroll 4
  for (std::int64_t col = threadIdx.x; col < cols; col += threads) {
    const float value = widen(row[col]);
    if (value > mine.top) {
      mine.sum *= power(mine.top, value);
      mine.top = value;
    }
    mine.sum += power(value, mine.top);
  }
  const Part all = part_of_block(mine, shared);
  const float scale = scale_of(all.sum);
  Element* const to = out + std::int64_t{blockIdx.x} * cols;
#pragma unroll 4
  for (std::int64_t col = threadIdx.x; col < cols; col += threads)
    to[col] = narrow<Element>(power(widen(row[col]), all.top) * scale);
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  if (problem.elements() == 0) return;
  with_element(problem, [&]<class Element>(Element) {
    device::launch({.grid = dim3(static_cast<unsigned>(problem.rows)), .block = dim3(threads)},
                   stream, softmax_online_kernel<Element>, problem.cols,
                   static_cast<const Element*>(operands.x), static_cast<Element*>(operands.out));
  });
}

}  // namespace

Variant softmax_online() {
  return {"maximum and sum in one pass, by rescaling",
          {Operation::softmax},
          {DType::f32, DType::bf16},
          3,
          1,
          [](const Problem& problem, const device::Facts&) {
            return any_row(problem, {Operation::softmax});
          },
          launch,
          nullptr,
          {.sectors_per_load = 4, .sectors_per_store = 4, .wavefronts_per_shared_request = 1}};
}

}  // namespace ridgeline::rows::on_cuda
