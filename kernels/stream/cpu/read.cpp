#include <algorithm>
#include <bit>

#include "kernels/simd/vectors.hpp"
#include "kernels/slice.hpp"
#include "kernels/stream/stream.hpp"

// Every thread sums its own part with the widest vectors there are, in as many independent sums as
// half of the vector registers hold, so that additions never wait for each other. Bound by loads:
// two vectors a cycle at most from L1, the memory's rate from DRAM.
namespace ridgeline::stream::on_cpu {
namespace {

#define RIDGELINE_SIMD_LOOPS "kernels/stream/cpu/read.inl"
#include "kernels/simd/each_isa.inl"

void launch(const Problem& problem, const Operands& operands, device::Stream&) {
  const auto sum_of_bits = RIDGELINE_LOOP(sum_of_bits);
  auto* const sums = static_cast<std::uint32_t*>(operands.out);
#pragma omp parallel for schedule(static) num_threads(problem.units)
  for (int unit = 0; unit < problem.units; ++unit) {
    const kernels::Slice part = kernels::slice(problem.elements, unit, problem.units, 16);
    std::uint32_t* const own = sums + std::int64_t{unit} * Problem::sums_per_unit;
    std::fill_n(own, Problem::sums_per_unit, 0u);
    own[0] = sum_of_bits(operands.a + part.begin, part.size(), problem.passes);
  }
}

}  // namespace

Variant read() {
  return {"each thread sums its part with the widest vectors", Operation::read, levels_on_cpu(),
          supports_on_cpu, launch};
}

}  // namespace ridgeline::stream::on_cpu
