#include "kernels/fusion/cuda/row.cuh"

// Bias, GELU, dropout and residual in one kernel, so that nothing but their last result goes
// through memory; LayerNorm needs the whole row and has a kernel of its own. Bound by DRAM: 8
// accesses per element instead of 14.
namespace ridgeline::fusion::on_cuda {
namespace {

template <class Element>
struct Chain {
  const Element* bias;
  const Element* residual;
  std::uint64_t seed;
  __device__ __forceinline__ float operator()(float value, std::int64_t index,
                                              std::int64_t col) const {
    return widen(residual[index]) + dropped(gelu(value + widen(bias[col])), seed, index);
  }
};

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  if (problem.elements() == 0) return;
  with_element(problem, [&]<class Element>(Element) {
    start_step(problem, stream,
               Chain<Element>{static_cast<const Element*>(operands.bias),
                              static_cast<const Element*>(operands.residual), operands.mask_seed},
               static_cast<const Element*>(operands.x), static_cast<Element*>(operands.workspace));
    start_layer_norm(problem, stream, operands, static_cast<const Element*>(operands.workspace));
  });
}

}  // namespace

Variant fused_elementwise() {
  return {"the four operations on elements in one kernel, LayerNorm in another",
          {DType::f32, DType::bf16, DType::f16},
          Stored::residual,
          2,
          row_in_registers,
          launch,
          [](const Problem& problem) {
            return traffic(problem, 8, static_cast<int>(size_of(problem.dtype)));
          },
          one_array,
          {.sectors_per_load = 4, .sectors_per_store = 4, .wavefronts_per_shared_request = 1}};
}

}  // namespace ridgeline::fusion::on_cuda
