#include "kernels/records/records.hpp"

// Each field is an array of its own: lines hold nothing but the field that is asked for, and the
// loop runs in vectors. Bound by DRAM; with all fields used, nine streams of addresses share it.
namespace ridgeline::records::on_cpu {
namespace {

template <int used>
void sum_fields(const float* in, float* out, std::int64_t elements) {
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < elements; ++i) {
    float sum = in[in_arrays(i, 0, elements)];
    for (int field = 1; field < used; ++field) sum += in[in_arrays(i, field, elements)];
    out[i] = sum;
  }
}

void launch(const Problem& problem, const Operands& operands, device::Stream&) {
  const auto sum = problem.used == 1 ? sum_fields<1> : sum_fields<fields>;
  sum(operands.in, operands.out, problem.elements);
}

kernels::Traffic traffic(const Problem& problem) {
  const std::int64_t lines_read =
      problem.used * kernels::pieces(0, 4, 4, problem.elements, kernels::line);
  return {
      {},
      kernels::cpu_bytes(lines_read, kernels::pieces(0, 4, 4, problem.elements, kernels::line))};
}

}  // namespace

Variant struct_of_arrays() {
  return {"one array a field", Layout::struct_of_arrays, one_or_all, launch, traffic};
}

}  // namespace ridgeline::records::on_cpu
