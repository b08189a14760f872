// Reverses every row of 64 numbers, through shared memory.   ridgeline check reverse_rows.cu
#include <numeric>
#include <string>
#include <vector>

#include "harness/device/check.hpp"
#include "harness/device/kernel.hpp"

__global__ void reverse_rows(const float* in, float* out) {
  __shared__ float row[64];
  const unsigned i = threadIdx.x, first = blockIdx.x * 64;
  row[i] = in[first + i];
  __syncthreads();
  out[first + i] = row[63 - i];
}

void ridgeline::check(device::Device& device) {
  constexpr unsigned rows = 128;
  std::vector<float> numbers(rows * 64);
  std::iota(numbers.begin(), numbers.end(), 0.0f);
  const device::Buffer<float> in(device, numbers), out(device, numbers.size());

  device::launch({.grid = dim3(rows), .block = dim3(64)}, device.stream(), reverse_rows, in.data(),
                 out.data());
  device.synchronize();

  const std::vector<float> found = out.download();
  for (std::size_t i = 0; i < found.size(); ++i)
    device::expect(found[i] == numbers[i / 64 * 64 + 63 - i % 64], "element " + std::to_string(i));
}
