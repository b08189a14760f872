#include "kernels/gather/gather.hpp"

// Threads have equal parts of the index. In order a line serves 16 elements; without order each
// element costs a line, and for large arrays a walk of the page table. Bound by the misses that a
// core keeps in flight.
namespace ridgeline::gather::on_cpu {
namespace {

void launch(const Problem& problem, const Operands& operands, device::Stream&) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < problem.elements; ++i)
    operands.out[i] = operands.in[operands.index[i]];
}

kernels::Traffic traffic(const Problem& problem) {
  const std::int64_t lines = kernels::pieces(0, 4, 4, problem.elements, kernels::line);
  const std::int64_t gathered = problem.order == Order::sequential ? lines : problem.elements;
  return {{}, kernels::cpu_bytes(lines + gathered, lines)};
}

}  // namespace

Variant gather() {
  return {"each thread reads the elements that its part of the index names", fits_index, launch,
          traffic};
}

}  // namespace ridgeline::gather::on_cpu
