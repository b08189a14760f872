#include "kernels/cuda/cudnn_attention.hpp"
#include "kernels/decode/decode.hpp"

// Vendor variant: cuDNN's fused attention, of one query. The plan that its heuristic proposes first
// is made at the first launch of a problem, which is the verified one and is never timed.

namespace ridgeline::decode::on_cuda {
namespace {

kernels::cudnn::Shape shape_of(const Problem& problem) {
  return {problem.batch, problem.heads, problem.kv_heads, /*queries=*/1,
          problem.keys,  problem.dim,   /*causal=*/false, problem.dtype};
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  if (problem.elements() == 0) return;  // cuDNN takes no empty arrays
  kernels::cudnn::forward(
      shape_of(problem),
      {operands.q, operands.k, operands.v, operands.o, /*stats=*/nullptr, operands.workspace},
      stream);
}

device::Support supports(const Problem& problem, const device::Facts& facts) {
  const device::Support possible = check(problem, {DType::bf16, DType::f16});
  return possible ? kernels::cudnn::support(problem.dtype, facts) : possible;
}

}  // namespace

Variant cudnn() {
  return {"vendor library cuDNN",
          {DType::bf16, DType::f16},
          supports,
          launch,
          [](const Problem& problem) {
            return problem.elements() == 0 ? 0 : kernels::cudnn::workspace_bytes(shape_of(problem));
          }};
}

}  // namespace ridgeline::decode::on_cuda
