#include "harness/device/kernel.hpp"
#include "kernels/records/records.hpp"

// A thread takes a record, and neighbouring records lie 32 bytes apart: each field that a warp
// loads touches 32 sectors. With one field used, seven eighths of what DRAM gives are thrown away;
// with all used, the sectors that the first load brought serve the others from L1, and L1 is the
// bound.
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
  for (int field = 0; field < used; ++field) value[field] = in[in_structs(i, field)];
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
  const int sectors = kernels::sectors_of_warp(0, fields * 4, 4);  // of a field's load
  const double requests = static_cast<double>(problem.elements) / kernels::lanes_of_a_warp;
  return {sectors, requests * (problem.used * sectors + 4) * kernels::sector};
}

}  // namespace

Variant array_of_structs() {
  return {"a thread takes a record whose fields lie together", Layout::array_of_structs, one_or_all,
          launch, traffic};
}

}  // namespace ridgeline::records::on_cuda
