#include "harness/device/kernel.hpp"
#include "kernels/gather/gather.hpp"

// Each thread reads an index, then the element it names; four of each in flight. In order a warp's
// request touches 4 sectors; without order 32, each for one element of 4 bytes. Bound by sectors,
// and by address translation when the array is large.
namespace ridgeline::gather::on_cuda {
namespace {

constexpr int threads = 256, in_flight = 4;

__global__ void __launch_bounds__(threads)
    gather_elements(const float* in, const std::int32_t* index, float* out, std::int64_t elements) {
  const std::int64_t first = std::int64_t{blockIdx.x} * threads * in_flight + threadIdx.x;
  std::int32_t at[in_flight];
  float value[in_flight];
#pragma unroll
  for (int j = 0; j < in_flight; ++j)
    if (first + j * threads < elements) at[j] = index[first + j * threads];
#pragma unroll
  for (int j = 0; j < in_flight; ++j)
    if (first + j * threads < elements) value[j] = in[at[j]];
#pragma unroll
  for (int j = 0; j < in_flight; ++j)
    if (first + j * threads < elements) out[first + j * threads] = value[j];
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  device::launch({.grid = dim3(device::blocks_for(problem.elements, threads * in_flight)),
                  .block = dim3(threads)},
                 stream, gather_elements, operands.in, operands.index, operands.out,
                 problem.elements);
}

kernels::Traffic traffic(const Problem& problem) {
  const int sectors = problem.order == Order::sequential ? 4 : 32;  // of the read through the index
  const double requests = static_cast<double>(problem.elements) / kernels::lanes_of_a_warp;
  return {sectors, requests * (4 + sectors + 4) * kernels::sector};
}

}  // namespace

Variant gather() {
  return {"each thread reads the element that its index names", fits_index, launch, traffic};
}

}  // namespace ridgeline::gather::on_cuda
