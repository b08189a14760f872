#include "kernels/fusion/cuda/row.cuh"

// All in one kernel: a block takes its row through bias, GELU, dropout and residual into registers,
// and normalises it there. No intermediate result goes through memory: 6 accesses per element,
// three of them parameters, which caches have. Bound by DRAM, as far as one element per access
// keeps enough bytes in flight.
namespace ridgeline::fusion::on_cuda {
namespace {

template <class Element, int count>
__global__ void __launch_bounds__(most_threads)
    fused_kernel(std::int64_t cols, const Element* x, const Element* bias, const Element* residual,
                 const Element* gamma, const Element* beta, Element* out, std::uint64_t seed) {
  __shared__ float shared[most_threads / 32];
  const std::int64_t first = std::int64_t{blockIdx.x} * cols;
  const auto col = [](int j) { return static_cast<int>(threadIdx.x + j * blockDim.x); };
  float value[count] = {};
  Element to_add[count];
#pragma unroll
  for (int j = 0; j < count; ++j)
    if (col(j) < cols) {
      value[j] = widen(x[first + col(j)]) + widen(bias[col(j)]);
      to_add[j] = residual[first + col(j)];
    }
#pragma unroll
  for (int j = 0; j < count; ++j)
    if (col(j) < cols) value[j] = widen(to_add[j]) + dropped(gelu(value[j]), seed, first + col(j));
  normalise(value, cols, gamma, beta, out + first, shared);
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  if (problem.elements() == 0) return;
  with_element(problem, [&]<class Element>(Element) {
    const int each = elements_of_thread(problem);
    const auto kernel = each == 4 ? fused_kernel<Element, 4> : fused_kernel<Element, 8>;
    device::launch(
        {.grid = dim3(static_cast<unsigned>(problem.rows)),
         .block = dim3(threads_for(problem.cols, each))},
        stream, kernel, problem.cols, static_cast<const Element*>(operands.x),
        static_cast<const Element*>(operands.bias), static_cast<const Element*>(operands.residual),
        static_cast<const Element*>(operands.gamma), static_cast<const Element*>(operands.beta),
        static_cast<Element*>(operands.out), operands.mask_seed);
  });
}

}  // namespace

Variant fused() {
  return {"all five in one kernel, a block keeps its row in registers",
          {DType::f32, DType::bf16, DType::f16},
          Stored::none,
          1,
          row_in_registers,
          launch,
          [](const Problem& problem) {
            return traffic(problem, 6, static_cast<int>(size_of(problem.dtype)));
          },
          nullptr,
          {.sectors_per_load = 4, .sectors_per_store = 4, .wavefronts_per_shared_request = 1}};
}

}  // namespace ridgeline::fusion::on_cuda
