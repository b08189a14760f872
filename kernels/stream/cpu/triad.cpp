#include "kernels/simd/vectors.hpp"
#include "kernels/slice.hpp"
#include "kernels/stream/stream.hpp"

// As copy, with two arrays read for one written: the mix of many numerical codes. Bound by the
// memory's rate; from L1 by two loads a cycle.
namespace ridgeline::stream::on_cpu {
namespace {

#define RIDGELINE_SIMD_LOOPS "kernels/stream/cpu/triad.inl"
#include "kernels/simd/each_isa.inl"

void launch(const Problem& problem, const Operands& operands, device::Stream&) {
  const auto triad = problem.level == kernels::Level::dram ? RIDGELINE_LOOP(triad_past_caches)
                                                           : RIDGELINE_LOOP(triad_through_caches);
  auto* const c = static_cast<float*>(operands.out);
#pragma omp parallel for schedule(static) num_threads(problem.units)
  for (int unit = 0; unit < problem.units; ++unit) {
    const kernels::Slice part = kernels::slice(problem.elements, unit, problem.units, 16);
    for (int pass = 0; pass < problem.passes; ++pass) {
      triad(operands.a + part.begin, operands.b + part.begin, 2.0f, c + part.begin, part.size());
      simd::keep_accesses();
    }
    simd::flush_stores();
  }
}

}  // namespace

Variant triad() {
  return {
      "each thread adds its parts with the widest vectors; at dram its stores bypass the caches",
      Operation::triad, levels_on_cpu(), supports_on_cpu, launch};
}

}  // namespace ridgeline::stream::on_cpu
