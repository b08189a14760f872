#include "kernels/transpose/transpose.hpp"

// Reads along rows, writes down columns: each write touches another line, and when the matrix is
// large the line is gone before its next element comes. Bound by lines that come and go for 4 bytes
// each.
namespace ridgeline::transpose::on_cpu {
namespace {

void launch(const Problem& problem, const Operands& operands, device::Stream&) {
#pragma omp parallel for schedule(static)
  for (std::int64_t row = 0; row < problem.rows; ++row)
    for (std::int64_t col = 0; col < problem.cols; ++col)
      operands.out[col * problem.rows + row] = operands.in[row * problem.cols + col];
}

kernels::Traffic traffic(const Problem& problem) {
  return {{},
          kernels::cpu_bytes(kernels::pieces(0, 4, 4, problem.elements(), kernels::line),
                             problem.elements())};
}

}  // namespace

Variant naive() {
  return {"reads along rows and writes down columns",
          [](const Problem&, const device::Facts&) { return device::Support::yes(); }, launch,
          traffic};
}

}  // namespace ridgeline::transpose::on_cpu
