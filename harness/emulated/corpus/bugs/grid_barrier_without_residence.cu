// bug: deadlock
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void grid_barrier_without_residence(unsigned* come, int* to) {
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(come, 1u);
    while (*static_cast<volatile unsigned*>(come) < gridDim.x) {
    }
    __threadfence();
  }
  __syncthreads();
  to[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto come = zeros<unsigned>(device, 1);
  const auto to = zeros(device, 64 * 32);
  run(device, {.grid = dim3(64), .block = dim3(32)}, grid_barrier_without_residence, come.data(),
      to.data());
}
