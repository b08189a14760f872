#include "harness/device/kernel.hpp"
#include "kernels/memory/memory.hpp"

// One access moves 4, 8 or 16 bytes: the same bytes take a half or a quarter of the instructions,
// and each of a thread's four accesses in flight is wider. Bound by bytes in flight while narrow,
// then by DRAM.
namespace ridgeline::memory::on_cuda {
namespace {

constexpr int threads = 256, in_flight = 4;

template <class Access>
__global__ void __launch_bounds__(threads)
    copy_wide(const float* in, float* out, std::int64_t elements) {
  constexpr int floats = sizeof(Access) / sizeof(float);
  const std::int64_t accesses = elements / floats;
  const std::int64_t first = std::int64_t{blockIdx.x} * threads * in_flight + threadIdx.x;
  const Access* const from = reinterpret_cast<const Access*>(in);
  Access* const to = reinterpret_cast<Access*>(out);
  Access value[in_flight];
#pragma unroll
  for (int j = 0; j < in_flight; ++j)
    if (first + j * threads < accesses) value[j] = from[first + j * threads];
#pragma unroll
  for (int j = 0; j < in_flight; ++j)
    if (first + j * threads < accesses) to[first + j * threads] = value[j];
  // Fewer than `floats` elements are left behind the last whole access.
  const std::int64_t last = accesses * floats + first;
  if (last < elements) out[last] = in[last];
}

void launch(const Problem& problem, const Operands& operands, device::Stream& stream) {
  const auto kernel = problem.width == 16  ? copy_wide<float4>
                      : problem.width == 8 ? copy_wide<float2>
                                           : copy_wide<float>;
  const std::int64_t accesses = (problem.elements * 4 + problem.width - 1) / problem.width;
  device::launch(
      {.grid = dim3(device::blocks_for(accesses, threads * in_flight)), .block = dim3(threads)},
      stream, kernel, operands.in, operands.out, problem.elements);
}

}  // namespace

Variant wide() {
  return {"one access of a thread moves 4, 8 or 16 bytes", only_width, launch, gpu_traffic};
}

}  // namespace ridgeline::memory::on_cuda
