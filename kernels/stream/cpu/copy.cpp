#include "kernels/simd/vectors.hpp"
#include "kernels/slice.hpp"
#include "kernels/stream/stream.hpp"

// Every thread copies its own part. At dram it stores past the caches: an ordinary store first
// fetches the line that it overwrites, which moves three bytes for every two that are counted.
// Bound by the memory's rate; from a cache by one store a cycle.
namespace ridgeline::stream::on_cpu {
namespace {

#define RIDGELINE_SIMD_LOOPS "kernels/stream/cpu/copy.inl"
#include "kernels/simd/each_isa.inl"

void launch(const Problem& problem, const Operands& operands, device::Stream&) {
  const auto copy = problem.level == kernels::Level::dram ? RIDGELINE_LOOP(copy_past_caches)
                                                          : RIDGELINE_LOOP(copy_through_caches);
  auto* const c = static_cast<float*>(operands.out);
#pragma omp parallel for schedule(static) num_threads(problem.units)
  for (int unit = 0; unit < problem.units; ++unit) {
    const kernels::Slice part = kernels::slice(problem.elements, unit, problem.units, 16);
    for (int pass = 0; pass < problem.passes; ++pass) {
      copy(operands.a + part.begin, c + part.begin, part.size());
      simd::keep_accesses();
    }
    simd::flush_stores();
  }
}

}  // namespace

Variant copy() {
  return {
      "each thread copies its part with the widest vectors; at dram its stores bypass the caches",
      Operation::copy, levels_on_cpu(), supports_on_cpu, launch};
}

}  // namespace ridgeline::stream::on_cpu
