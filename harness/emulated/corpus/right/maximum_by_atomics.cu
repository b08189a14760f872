// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// Once the largest has been met, no thread sees or changes anything more.
__global__ void maximum_by_atomics(const int* from, unsigned n, int* largest) {
  const unsigned stride = gridDim.x * blockDim.x;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    atomicMax(largest, from[i]);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  constexpr int n = 5000;
  for (const unsigned blocks : {1u, 2u})
    for (const unsigned threads : {1u, 64u}) {
      std::vector<int> values(n * blocks * threads, 1);
      values[threads] = 7;
      const device::Buffer<int> from(device, values);
      const auto largest = zeros(device, 1);
      run(device, {.grid = dim3(blocks), .block = dim3(threads)}, maximum_by_atomics, from.data(),
          static_cast<unsigned>(values.size()), largest.data());
      expect_each(largest, [](std::size_t) { return 7; });
    }
}
