#include "kernels/fusion/cuda/row.cuh"

// One kernel per operation, as a framework runs them one by one: bias, GELU, dropout, residual,
// LayerNorm. Each reads what the last one wrote: `out` and the workspace take turns. Bound by DRAM:
// of 14 accesses per element, eight are intermediate results, and one or two per kernel are
// parameters, which caches have.
namespace ridgeline::fusion::on_cuda {
namespace {

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  if (problem.elements() == 0) return;
  with_element(problem, [&]<class Element>(Element) {
    const auto* const x = static_cast<const Element*>(operands.x);
    auto* const out = static_cast<Element*>(operands.out);
    auto* const other = static_cast<Element*>(operands.workspace);
    const Element *const from_out = out, *const from_other = other;
    start_step(problem, stream, AddBias<Element>{static_cast<const Element*>(operands.bias)}, x,
               out);
    start_step(problem, stream, Gelu{}, from_out, other);
    start_step(problem, stream, Dropout{operands.mask_seed}, from_other, out);
    start_step(problem, stream,
               AddResidual<Element>{static_cast<const Element*>(operands.residual)}, from_out,
               other);
    start_layer_norm(problem, stream, operands, from_other);
  });
}

}  // namespace

Variant separate() {
  return {"one kernel an operation, results between them through memory",
          {DType::f32, DType::bf16, DType::f16},
          Stored::all,
          5,
          row_in_registers,
          launch,
          [](const Problem& problem) {
            return traffic(problem, 14, static_cast<int>(size_of(problem.dtype)));
          },
          one_array,
          {.sectors_per_load = 4, .sectors_per_store = 4, .wavefronts_per_shared_request = 1}};
}

}  // namespace ridgeline::fusion::on_cuda
