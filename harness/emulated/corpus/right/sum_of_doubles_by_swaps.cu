// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// The first value is read as it comes: the exchange tells whether it was still so.
__device__ void add_by_swaps(double* at, double value) {
  auto* const bits = reinterpret_cast<unsigned long long*>(at);
  unsigned long long old = *bits, seen;
  do {
    seen = old;
    old = atomicCAS(bits, seen,
                    static_cast<unsigned long long>(__double_as_longlong(
                        value + __longlong_as_double(static_cast<long long>(seen)))));
  } while (old != seen);
}
__global__ void sum_of_doubles_by_swaps(double* sum) {
  __shared__ double of_block;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  for (int i = 0; i < 3; ++i) add_by_swaps(&of_block, 1);
  __syncthreads();
  if (threadIdx.x < 2) add_by_swaps(sum, of_block / 2);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto sum = zeros<double>(device, 1);
  run(device, {.grid = dim3(4), .block = dim3(64)}, sum_of_doubles_by_swaps, sum.data());
  expect_each(sum, [](std::size_t) { return 4 * 3 * 64; });
}
