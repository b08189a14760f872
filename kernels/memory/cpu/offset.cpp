#include <omp.h>

#include "kernels/memory/memory.hpp"
#include "kernels/simd/vectors.hpp"
#include "kernels/slice.hpp"

// The widest vectors there are, starting at `offset`: where that is no multiple of a vector,
// accesses straddle two lines and take the caches' ports twice. From DRAM the difference drowns in
// waiting for memory.
namespace ridgeline::memory::on_cpu {
namespace {

#define RIDGELINE_SIMD_LOOPS "kernels/memory/cpu/offset.inl"
#include "kernels/simd/each_isa.inl"

void launch(const Problem& problem, const Operands& operands, device::Stream&) {
  const auto copy_from = RIDGELINE_LOOP(copy_from);
  const std::int64_t copied = problem.copied(), offset = problem.offset;
#pragma omp parallel
  {
    const kernels::Slice part =
        kernels::slice(copied, omp_get_thread_num(), omp_get_num_threads(), 16);
    copy_from(operands.in + offset + part.begin, operands.out + offset + part.begin, part.size());
  }
}

}  // namespace

Variant offset() {
  return {"the widest vectors there are, from element `offset` on", only_offset, launch,
          cpu_traffic};
}

}  // namespace ridgeline::memory::on_cpu
