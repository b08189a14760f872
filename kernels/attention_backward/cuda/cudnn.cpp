#include "kernels/attention_backward/attention_backward.hpp"
#include "kernels/cuda/cudnn_attention.hpp"

// Vendor variant: cuDNN's gradients of its fused attention. The plan that its heuristic proposes
// first is made at the first launch of a problem, which is the verified one and is never timed.

namespace ridgeline::attention_backward::on_cuda {
namespace {

kernels::cudnn::Shape shape_of(const Problem& problem) {
  return {problem.batch, problem.heads, problem.heads / problem.group(), problem.seq,
          problem.seq,   problem.dim,   problem.mask == Mask::causal,    problem.dtype};
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  if (problem.elements() == 0) return;  // cuDNN takes no empty arrays
  kernels::cudnn::backward(
      shape_of(problem),
      {operands.q, operands.k, operands.v, operands.o, operands.d_o, operands.logarithms,
       operands.dq, operands.dk, operands.dv, operands.workspace},
      stream);
}

device::Support supports(const Problem& problem, const device::Facts& facts) {
  const device::Support possible = check(problem, {DType::bf16});
  if (!possible) return possible;
  if (problem.seq == 1)
    return device::Support::unsupported("cuDNN knows no gradients of one query");
  return kernels::cudnn::support(problem.dtype, facts);
}

}  // namespace

Variant cudnn() {
  return {"vendor library cuDNN", {DType::bf16}, supports, launch, [](const Problem& problem) {
            return kernels::cudnn::gradient_workspace_bytes(shape_of(problem));
          }};
}

}  // namespace ridgeline::attention_backward::on_cuda
