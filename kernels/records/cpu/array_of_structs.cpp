#include "kernels/records/records.hpp"

// A thread walks records of 32 bytes. With one field used, seven eighths of each line are carried
// for nothing; with all used, nothing is. Bound by DRAM either way.
namespace ridgeline::records::on_cpu {
namespace {

template <int used>
void sum_fields(const float* in, float* out, std::int64_t elements) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < elements; ++i) {
    float sum = in[in_structs(i, 0)];
    for (int field = 1; field < used; ++field) sum += in[in_structs(i, field)];
    out[i] = sum;
  }
}

void launch(const Problem& problem, const Operands& operands, device::Stream&) {
  const auto sum = problem.used == 1 ? sum_fields<1> : sum_fields<fields>;
  sum(operands.in, operands.out, problem.elements);
}

kernels::Traffic traffic(const Problem& problem) {
  const std::int64_t lines_read = kernels::pieces(0, std::int64_t{fields} * 4, problem.used * 4,
                                                  problem.elements, kernels::line);
  return {
      {},
      kernels::cpu_bytes(lines_read, kernels::pieces(0, 4, 4, problem.elements, kernels::line))};
}

}  // namespace

Variant array_of_structs() {
  return {"records whose fields lie together, one after the other", Layout::array_of_structs,
          one_or_all, launch, traffic};
}

}  // namespace ridgeline::records::on_cpu
