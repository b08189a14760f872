#include <cstdint>

#include "harness/device/kernel.hpp"

__global__ void twice_kernel(const float* x, float* y, std::int64_t n) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}

void twice(const float* x, float* y, std::int64_t n, ridgeline::device::Stream& stream) {
  using namespace ridgeline::device;
  launch({.grid = dim3(blocks_for(n, 256)), .block = dim3(256)}, stream, twice_kernel, x, y, n);
}
