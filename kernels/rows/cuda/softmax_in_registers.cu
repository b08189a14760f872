#include "kernels/rows/cuda/softmax.cuh"

// A block a row, which stays in registers: read once and written once, 16 bytes at a time. Each
// warp has its own maximum, and the exponentials about that stay as they are until the row's
// maximum and sum are known: one exchange between warps, and one exponential an element. Bound by
// DRAM.
namespace ridgeline::rows::on_cuda {
namespace {

constexpr int most_threads = 1024;

template <class Element, int count>
__global__ void __launch_bounds__(most_threads)
    softmax_kernel(int vectors, const uint4* x, uint4* out) {
  constexpr int lanes = lanes_of<Element>;
  const Element* const type = nullptr;
  __shared__ Part shared[most_warps];
  const int thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  const std::int64_t first = std::int64_t{blockIdx.x} * vectors + thread;
  const auto inside = [=](int j) { return thread + j * threads < vectors; };
  float value[count][lanes];
  uint4 held[count];
#pragma unroll
  for (int j = 0; j < count; ++j)
    if (inside(j)) held[j] = load_once(x + first + j * threads);
  Part mine;
#pragma unroll
  for (int j = 0; j < count; ++j) {
    unpack(type, held[j], value[j]);
#pragma unroll
    for (int i = 0; i < lanes; ++i) {
      if (!inside(j)) value[j][i] = -INFINITY;
      mine.top = fmaxf(mine.top, value[j][i]);
    }
  }
  mine.top = most_of_warp(mine.top);
#pragma unroll
  for (int j = 0; j < count; ++j)
#pragma unroll
    for (int i = 0; i < lanes; ++i) {
      value[j][i] = power(value[j][i], mine.top);
      mine.sum += value[j][i];
    }
  mine.sum = sum_over_warp(mine.sum);
  if (lane() == 0) shared[warp()] = mine;
  __syncthreads();
  const Part all = part_of_warp(lane() < warps() ? shared[lane()] : Part{});
  const float scale = power(mine.top, all.top) * scale_of(all.sum);
#pragma unroll
  for (int j = 0; j < count; ++j) {
    if (!inside(j)) continue;
#pragma unroll
    for (int i = 0; i < lanes; ++i) value[j][i] *= scale;
    store_once(out + first + j * threads, pack(type, value[j]));
  }
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  if (problem.elements() == 0) return;
  with_element(problem, [&]<class Element>(Element) {
    const int vectors = vectors_of_row(problem), each = vectors <= 2 * most_threads ? 2 : 4;
    device::launch({.grid = dim3(static_cast<unsigned>(problem.rows)),
                    .block = dim3(threads_for(vectors, each))},
                   stream, each == 2 ? softmax_kernel<Element, 2> : softmax_kernel<Element, 4>,
                   vectors, static_cast<const uint4*>(operands.x),
                   static_cast<uint4*>(operands.out));
  });
}

}  // namespace

Variant softmax_in_registers() {
  return {"the row in registers: read once, 16 bytes per access, one exchange between warps",
          {Operation::softmax},
          {DType::f32, DType::bf16},
          2,
          1,
          [](const Problem& problem, const device::Facts&) {
            return whole_vectors(problem, {Operation::softmax}, 4 * most_threads);
          },
          launch,
          nullptr,
          {.sectors_per_load = 16, .sectors_per_store = 16, .wavefronts_per_shared_request = 1}};
}

}  // namespace ridgeline::rows::on_cuda
