#include <algorithm>
#include <bit>

#include "harness/device/facts.hpp"
#include "kernels/exact_steps.hpp"
#include "kernels/occupancy/occupancy.hpp"
#include "kernels/simd/vectors.hpp"

// Each thread advances `independent` vectors in turn. A vector's next multiply-add waits for its
// last: bound by latency while the chains are fewer than latency times rate (some 8), then by the
// multiply-add units.
namespace ridgeline::occupancy::on_cpu {
namespace {

#define RIDGELINE_SIMD_LOOPS "kernels/occupancy/cpu/fma.inl"
#include "kernels/simd/each_isa.inl"

void launch(const Problem& problem, const Operands& operands, device::Stream&) {
  const auto advance = problem.independent == 1   ? RIDGELINE_LOOP(advance<1>)
                       : problem.independent == 2 ? RIDGELINE_LOOP(advance<2>)
                       : problem.independent == 4 ? RIDGELINE_LOOP(advance<4>)
                       : problem.independent == 8 ? RIDGELINE_LOOP(advance<8>)
                                                  : RIDGELINE_LOOP(advance<16>);
  auto* const out = static_cast<float*>(operands.out);
  // Known, it would become a subtraction.
  const volatile float multiplier = static_cast<float>(kernels::step_factor);
  const std::int64_t own = std::int64_t{problem.independent} * problem.vector;
#pragma omp parallel for schedule(static) num_threads(problem.parallel)
  for (int thread = 0; thread < problem.parallel; ++thread) {
    std::copy_n(operands.in + thread * own, own, out + thread * own);
    advance(out + thread * own, problem.rounds, multiplier);
  }
}

device::Support supports(const Problem& problem, const device::Facts& facts) {
  if (problem.operation != Operation::fma || problem.limit != Limit::threads ||
      problem.vector != simd::shape().floats)
    return device::Support::unsupported(
        "a CPU's chain is a vector, and its threads are not limited");
  if (problem.parallel > facts.units)
    return device::Support::unsupported("more threads than the " + std::to_string(facts.units) +
                                        " cores");
  if (!std::has_single_bit(static_cast<unsigned>(problem.independent)) || problem.independent > 16)
    return device::Support::unsupported("1, 2, 4, 8 or 16 chains");
  if (2 * problem.independent > simd::shape().registers)
    return device::Support::unsupported("too few vector registers for so many chains");
  return device::Support::yes();
}

}  // namespace

Variant fma() {
  return {"each thread has so many chains, whose multiply-adds wait for one another",
          Operation::fma, supports, launch};
}

}  // namespace ridgeline::occupancy::on_cpu
