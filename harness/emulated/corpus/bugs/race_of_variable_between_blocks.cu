// bug: race between blocks
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__device__ volatile int flag_of_variables;
__device__ float data_of_variables[32];
__global__ void race_of_variable_between_blocks(float* to) {
  if (blockIdx.x == 0) {
    data_of_variables[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) flag_of_variables = 1;
  } else {
    if (threadIdx.x == 0)
      while (flag_of_variables == 0) {
      }
    __syncthreads();
    to[threadIdx.x] = data_of_variables[threadIdx.x];
  }
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros<float>(device, 32);
  flag_of_variables = 0;
  run(device, {.grid = dim3(2), .block = dim3(32)}, race_of_variable_between_blocks, to.data());
}
