#include "harness/device/kernel.hpp"
#include "kernels/memory/memory.hpp"

// Neighbouring threads access elements `stride` apart, four accesses of a thread in flight. Bound
// by the sectors that a warp's request touches: 4 at stride 1, then twice as many for each doubling
// up to 32 at stride 8, of which one eighth is used.
namespace ridgeline::memory::on_cuda {
namespace {

constexpr int threads = 256, in_flight = 4;

__global__ void __launch_bounds__(threads)
    copy_strided(const float* in, float* out, std::int64_t copied, std::int64_t stride) {
  const std::int64_t first = std::int64_t{blockIdx.x} * threads * in_flight + threadIdx.x;
  float value[in_flight];
#pragma unroll
  for (int j = 0; j < in_flight; ++j)
    if (first + j * threads < copied) value[j] = in[(first + j * threads) * stride];
#pragma unroll
  for (int j = 0; j < in_flight; ++j)
    if (first + j * threads < copied) out[(first + j * threads) * stride] = value[j];
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  device::launch({.grid = dim3(device::blocks_for(problem.copied(), threads * in_flight)),
                  .block = dim3(threads)},
                 stream, copy_strided, operands.in, operands.out, problem.copied(), problem.stride);
}

}  // namespace

Variant strided() {
  return {"neighbouring threads are `stride` elements apart", only_stride, launch, gpu_traffic};
}

}  // namespace ridgeline::memory::on_cuda
