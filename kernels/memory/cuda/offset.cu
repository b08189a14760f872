#include "harness/device/kernel.hpp"
#include "kernels/memory/memory.hpp"

// Neighbouring threads access neighbouring elements, but the first one does not start at a sector:
// a warp's request then touches 5 sectors instead of 4. The fifth belongs to the next warp's
// request too and is mostly found in a cache.
namespace ridgeline::memory::on_cuda {
namespace {

constexpr int threads = 256, in_flight = 4;

__global__ void __launch_bounds__(threads)
    copy_from(const float* in, float* out, std::int64_t copied, std::int64_t offset) {
  const std::int64_t first = std::int64_t{blockIdx.x} * threads * in_flight + threadIdx.x;
  float value[in_flight];
#pragma unroll
  for (int j = 0; j < in_flight; ++j)
    if (first + j * threads < copied) value[j] = in[offset + first + j * threads];
#pragma unroll
  for (int j = 0; j < in_flight; ++j)
    if (first + j * threads < copied) out[offset + first + j * threads] = value[j];
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  device::launch({.grid = dim3(device::blocks_for(problem.copied(), threads * in_flight)),
                  .block = dim3(threads)},
                 stream, copy_from, operands.in, operands.out, problem.copied(), problem.offset);
}

}  // namespace

Variant offset() {
  return {"neighbouring threads are neighbours, but start `offset` elements late", only_offset,
          launch, gpu_traffic};
}

}  // namespace ridgeline::memory::on_cuda
