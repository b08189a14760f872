// bug: race (write after write)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// The barrier behind the zero is forgotten. The thread that stores it adds, too, which orders
// nothing for the others.
__global__ void race_of_a_zero_and_atomics(int* to) {
  __shared__ int count;
  if (threadIdx.x == 0) count = 0;
  atomicAdd(&count, 1);
  __syncthreads();
  if (threadIdx.x == 0) *to = count;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 1);
  run(device, {.grid = dim3(1), .block = dim3(64)}, race_of_a_zero_and_atomics, to.data());
}
