#include "kernels/memory/memory.hpp"
#include "kernels/simd/vectors.hpp"

// One element at a time, `stride` apart; threads have equal parts. Bound by the lines that come and
// go: from stride 16 on each element costs a line of its own.
namespace ridgeline::memory::on_cpu {
namespace {

void launch(const Problem& problem, const Operands& operands, device::Stream&) {
  const std::int64_t copied = problem.copied(), stride = problem.stride;
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < copied; ++i) {
    operands.out[i * stride] = operands.in[i * stride];
    simd::keep_accesses();  // no vectors and no memcpy at stride 1: all strides do the same work
                            // per element
  }
}

}  // namespace

Variant strided() {
  return {"one element at a time, `stride` elements apart", only_stride, launch, cpu_traffic};
}

}  // namespace ridgeline::memory::on_cpu
