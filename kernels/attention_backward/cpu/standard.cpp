#include <cmath>

#include "kernels/attention_backward/attention_backward.hpp"

// As the formulas are written, a head of keys after the other: P and dS are written to memory, then
// each row of an output is added up from rows of another array. Bound by the FMA rate while a
// head's P and dS fit into the caches, and by memory bandwidth beyond.

namespace ridgeline::attention_backward::on_cpu {
namespace {

float dot(const float* a, const float* b, std::int64_t dim) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t e = 0; e < dim; ++e) sum += a[e] * b[e];
  return sum;
}
void add(float* to, float factor, const float* row, std::int64_t dim) {
#pragma omp simd
  for (std::int64_t e = 0; e < dim; ++e) to[e] += factor * row[e];
}

std::size_t workspace(const Problem& problem) {
  return static_cast<std::size_t>(2 * problem.group() * problem.seq * problem.seq) * sizeof(float);
}

void launch(const Problem& problem, const Operands& operands, device::Stream&) {
  const std::int64_t seq = problem.seq, dim = problem.dim, group = problem.group();
  const auto array = [](const void* from) { return static_cast<const float*>(from); };
  const float *const q = array(operands.q), *const o = array(operands.o),
                     *const d_o = array(operands.d_o);
  auto* const p = static_cast<float*>(operands.workspace);
  float* const ds = p + group * seq * seq;
  const float factor = 1 / std::sqrt(static_cast<float>(dim));
  const bool causal = problem.mask == Mask::causal;
  for (std::int64_t kv_head = 0; kv_head < (seq == 0 ? 0 : problem.all_heads() / group);
       ++kv_head) {
    const float *const k = array(operands.k) + kv_head * seq * dim, *const v = array(operands.v) +
                                                                               kv_head * seq * dim;
    const std::int64_t first = kv_head * group * seq;  // row of the queries with these keys
#pragma omp parallel
    {
#pragma omp for schedule(dynamic)
      for (std::int64_t i = 0; i < group * seq; ++i) {
        const std::int64_t row = first + i, seen = causal ? i % seq + 1 : seq;
        const float* const gradient = d_o + row * dim;
        const float d = dot(gradient, o + row * dim, dim);
        float* const dq = static_cast<float*>(operands.dq) + row * dim;
        std::fill_n(dq, dim, 0.0f);
        for (std::int64_t j = 0; j < seen; ++j) {
          const float probability =
              std::exp(dot(q + row * dim, k + j * dim, dim) * factor - operands.logarithms[row]);
          p[i * seq + j] = probability;
          ds[i * seq + j] = probability * (dot(gradient, v + j * dim, dim) - d) * factor;
          add(dq, ds[i * seq + j], k + j * dim, dim);
        }
      }
#pragma omp for schedule(dynamic)
      for (std::int64_t j = 0; j < seq; ++j) {
        float *const dk = static_cast<float*>(operands.dk) + (kv_head * seq + j) * dim,
                     *const dv = static_cast<float*>(operands.dv) + (kv_head * seq + j) * dim;
        std::fill_n(dk, dim, 0.0f);
        std::fill_n(dv, dim, 0.0f);
        for (std::int64_t i = 0; i < group * seq; ++i) {
          if (causal && i % seq < j) continue;
          add(dk, ds[i * seq + j], q + (first + i) * dim, dim);
          add(dv, p[i * seq + j], d_o + (first + i) * dim, dim);
        }
      }
    }
  }
}

device::Support supports(const Problem& problem, const device::Facts&) {
  return check(problem, {DType::f32});
}

}  // namespace

Variant standard() {
  return {"P and dS written to memory", {DType::f32}, supports, launch, workspace, {},
          /*deterministic=*/true};
}

}  // namespace ridgeline::attention_backward::on_cpu
