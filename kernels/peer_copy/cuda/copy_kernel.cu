#include <algorithm>

#include "harness/device/kernel.hpp"
#include "kernels/peer_copy/peer_copy.hpp"

// One block per SM copies with 16-byte loads and stores, four of a thread in flight: of both, one
// is to the other GPU's memory. Bound by the link.
namespace ridgeline::peer_copy::on_cuda {
namespace {

constexpr int threads = 1024, in_flight = 4;

__global__ void __launch_bounds__(threads, 1)
    copy_vectors(const float* from, float* to, std::int64_t elements) {
  const float4* const source = reinterpret_cast<const float4*>(from);
  float4* const destination = reinterpret_cast<float4*>(to);
  const std::int64_t step = std::int64_t{gridDim.x} * threads, vectors = elements / 4;
  std::int64_t i = std::int64_t{blockIdx.x} * threads + threadIdx.x;
#pragma unroll 1
  for (; i + (in_flight - 1) * step < vectors; i += in_flight * step) {
    float4 value[in_flight];
#pragma unroll
    for (int j = 0; j < in_flight; ++j) value[j] = __ldcs(source + i + j * step);
#pragma unroll
    for (int j = 0; j < in_flight; ++j) __stcs(destination + i + j * step, value[j]);
  }
#pragma unroll 1
  for (; i < vectors; i += step) __stcs(destination + i, __ldcs(source + i));
  const std::int64_t last = vectors * 4 + threadIdx.x;
  if (blockIdx.x == 0 && last < elements) to[last] = from[last];
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const std::int64_t needed =
      std::max<std::int64_t>(1, (problem.elements / 4 + threads - 1) / threads);
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(needed, problem.units));
  device::launch({.grid = dim3(blocks), .block = dim3(threads)}, stream, copy_vectors,
                 operands.from, operands.to, problem.elements);
}

}  // namespace

Variant copy_kernel() {
  return {"16-byte loads and stores to the other GPU's memory, one block an SM", any_direct_peer,
          launch};
}

}  // namespace ridgeline::peer_copy::on_cuda
