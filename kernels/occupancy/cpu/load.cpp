#include <bit>

#include "harness/device/facts.hpp"
#include "kernels/occupancy/occupancy.hpp"
#include "kernels/permutation.hpp"
#include "kernels/simd/vectors.hpp"
#include "kernels/slice.hpp"

// Each thread walks `independent` parts of the array at once, line by line in an order that no
// prefetcher follows, and the place of the next line depends on what the last one held:
// `threads` x `independent` lines are in flight, no more. Bound by latency until the misses that a
// core can keep track of run out, then by DRAM.
namespace ridgeline::occupancy::on_cpu {
namespace {

constexpr int line_floats = 16;

/// Sums the bits of parts `first` to first + independent - 1 of `parts`. `zero` is 0, which the
/// compiler does not know.
template <int independent>
std::uint32_t sum_parts(const float* in, std::int64_t elements, int first, int parts,
                        std::uint64_t zero) {
  using Words = simd::baseline::LooseWords;
  const std::int64_t lines = elements / line_floats;
  const std::uint64_t each = static_cast<std::uint64_t>(lines / parts);
  const kernels::Permutation order(each, 1);
  const float* base[independent];
  std::uint64_t at[independent];
  for (int part = 0; part < independent; ++part) {
    base[part] = in + kernels::slice(lines, first + part, parts, 1).begin * line_floats;
    at[part] = 0;
  }
  simd::baseline::Words sum = {};
  for (std::uint64_t step = 0; step < each; ++step) {
#pragma GCC unroll 16
    for (int part = 0; part < independent; ++part) {
      const float* const line = base[part] + order(at[part]) * line_floats;
      sum += *reinterpret_cast<const Words*>(line) + *reinterpret_cast<const Words*>(line + 4) +
             *reinterpret_cast<const Words*>(line + 8) + *reinterpret_cast<const Words*>(line + 12);
      at[part] += 1 + (std::bit_cast<std::uint32_t>(line[0]) & zero);
    }
  }
  return sum[0] + sum[1] + sum[2] + sum[3];
}

void launch(const Problem& problem, const Operands& operands, device::Stream&) {
  const auto sum_own_parts = problem.independent == 1   ? sum_parts<1>
                             : problem.independent == 2 ? sum_parts<2>
                             : problem.independent == 4 ? sum_parts<4>
                             : problem.independent == 8 ? sum_parts<8>
                                                        : sum_parts<16>;
  auto* const sums = static_cast<std::uint32_t*>(operands.out);
  const volatile std::uint64_t zero = 0;
#pragma omp parallel for schedule(static) num_threads(problem.parallel)
  for (int thread = 0; thread < problem.parallel; ++thread)
    sums[thread] = sum_own_parts(operands.in, problem.elements, thread * problem.independent,
                                 problem.parallel * problem.independent, zero);
}

device::Support supports(const Problem& problem, const device::Facts& facts) {
  if (problem.operation != Operation::load || problem.limit != Limit::threads ||
      problem.width != 64)
    return device::Support::unsupported(
        "a CPU's load fetches a line of 64 bytes, and its threads are not limited");
  if (problem.parallel > facts.units)
    return device::Support::unsupported("more threads than the " + std::to_string(facts.units) +
                                        " cores");
  if (!std::has_single_bit(static_cast<unsigned>(problem.independent)) || problem.independent > 16)
    return device::Support::unsupported("1, 2, 4, 8 or 16 loads");
  if (problem.elements % (std::int64_t{line_floats} * problem.parallel * problem.independent) != 0)
    return device::Support::unsupported("lines that cannot be shared out equally");
  return device::Support::yes();
}

}  // namespace

Variant load() {
  return {
      "each thread has so many lines in flight, and waits for one before it asks for the next in "
      "its place",
      Operation::load, supports, launch};
}

}  // namespace ridgeline::occupancy::on_cpu
