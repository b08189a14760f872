#include <cmath>

#include "kernels/attention/attention.hpp"
#include "kernels/attention/masked_softmax.hpp"
#include "kernels/cuda/cublaslt_products.hpp"

// The formula as it was computed before flash attention: cuBLASLt multiplies, one kernel scales,
// masks and makes probabilities of scores where they stand, cuBLASLt multiplies again. All heads of
// Q that share a head of K and V are one product. Scores are written, read, written and read again:
// 8 bytes for 4 * dim operations, so that DRAM bounds the softmax and, with short heads, the
// products as well. Keys that a causal mask hides are multiplied like others.

namespace ridgeline::attention::on_cuda {
namespace {

/// From row to row of the scores: whole accesses of 16 bytes.
std::int64_t stride_of(const Problem& problem) { return (problem.seq + 7) / 8 * 8; }

std::size_t score_memory(const Problem& problem) {
  const std::int64_t bytes = problem.all_heads() * problem.seq * stride_of(problem) * 2;
  return (static_cast<std::size_t>(bytes) + 255) / 256 * 256;
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  if (problem.elements() == 0) return;  // cuBLASLt takes no empty matrices
  const std::int64_t seq = problem.seq, dim = problem.dim, group = problem.group(),
                     stride = stride_of(problem);
  void* const scores = operands.workspace;
  void* const workspace = static_cast<std::byte*>(operands.workspace) + score_memory(problem);
  const std::int64_t batch = problem.all_heads() / group;
  // Of f16, scores are scaled before they are stored, where it ends at 65504.
  const float factor = 1.0f / std::sqrt(static_cast<float>(dim));
  const bool early = problem.dtype == DType::f16;
  kernels::cublaslt::multiply({batch, group * seq, seq, dim, dim, dim, stride,
                               /*b_transposed=*/true, problem.dtype},
                              early ? factor : 1.0f, operands.q, operands.k, scores, workspace,
                              stream);
  masked_softmax({scores, problem.all_heads() * seq, seq, seq, stride, problem.mask == Mask::causal,
                  early ? 1.0f : factor, problem.dtype},
                 stream);
  kernels::cublaslt::multiply({batch, group * seq, dim, seq, stride, dim, dim,
                               /*b_transposed=*/false, problem.dtype},
                              1.0f, scores, operands.v, operands.o, workspace, stream);
}

device::Support supports(const Problem& problem, const device::Facts&) {
  device::Support possible = check(problem, {DType::bf16, DType::f16}, /*groups_queries=*/true);
  if (possible && !kernels::cublaslt::missing().empty())
    return device::Support::unavailable(kernels::cublaslt::missing());
  return possible;
}

}  // namespace

Variant standard_cublaslt() {
  return {"cuBLASLt's products with one softmax kernel between them",
          {DType::bf16, DType::f16},
          supports,
          launch,
          [](const Problem& problem) {
            return score_memory(problem) + kernels::cublaslt::workspace_bytes;
          },
          {},
          /*groups_queries=*/true};
}

}  // namespace ridgeline::attention::on_cuda
