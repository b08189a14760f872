// bug: out of bounds (shared)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// Without room between them, all lanes would reach the next variable.
__global__ void oob_shared_into_next(int* to) {
  __shared__ int first[32], second[32];
  first[threadIdx.x] = 1;
  second[threadIdx.x] = 2;
  __syncthreads();
  first[threadIdx.x + 32] = 3;
  __syncthreads();
  to[threadIdx.x] = first[threadIdx.x] + second[threadIdx.x];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 32);
  run(device, {.block = dim3(32)}, oob_shared_into_next, to.data());
}
