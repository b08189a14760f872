#include "harness/device/kernel.hpp"
#include "kernels/records/records.hpp"

// Each field is an array of its own, so that neighbouring threads read neighbouring floats: 4
// sectors per request, all of them used. Bound by DRAM.
namespace ridgeline::records::on_cuda {
namespace {

constexpr int threads = 256;

template <int used>
__global__ void __launch_bounds__(threads)
    sum_fields(const float* in, float* out, std::int64_t elements) {
  const std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
  if (i >= elements) return;
  float value[used];
#pragma unroll
  for (int field = 0; field < used; ++field) value[field] = in[in_arrays(i, field, elements)];
  float sum = value[0];
#pragma unroll
  for (int field = 1; field < used; ++field) sum += value[field];
  out[i] = sum;
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  device::launch(
      {.grid = dim3(device::blocks_for(problem.elements, threads)), .block = dim3(threads)}, stream,
      problem.used == 1 ? sum_fields<1> : sum_fields<fields>, operands.in, operands.out,
      problem.elements);
}

kernels::Traffic traffic(const Problem& problem) {
  const int sectors = kernels::sectors_of_warp(0, 4, 4);  // of a field's load
  const double requests = static_cast<double>(problem.elements) / kernels::lanes_of_a_warp;
  return {sectors, requests * (problem.used * sectors + 4) * kernels::sector};
}

}  // namespace

Variant struct_of_arrays() {
  return {"neighbouring threads read neighbouring floats of one field", Layout::struct_of_arrays,
          one_or_all, launch, traffic};
}

}  // namespace ridgeline::records::on_cuda
