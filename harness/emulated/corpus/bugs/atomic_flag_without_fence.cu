// bug: missing fence
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// A flag that atomics set and read orders nothing else.
__global__ void atomic_flag_without_fence(volatile int* data, int* flag, int* to) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = static_cast<int>(threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) atomicExch(flag, 1);
  } else {
    if (threadIdx.x == 0)
      while (atomicAdd(flag, 0) == 0) {
      }
    __syncthreads();
    to[threadIdx.x] = data[threadIdx.x];
  }
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto data = zeros(device, 64), flag = zeros(device, 1), to = zeros(device, 64);
  run(device, {.grid = dim3(2), .block = dim3(64)}, atomic_flag_without_fence, data.data(),
      flag.data(), to.data());
}
