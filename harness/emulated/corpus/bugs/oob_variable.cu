// bug: out of bounds (variable)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__device__ int bins_of_oob_variable[64], behind_oob_variable[64];
__global__ void oob_variable(const int* from) {
  atomicAdd(&bins_of_oob_variable[from[threadIdx.x]], 1);
  atomicAdd(&behind_oob_variable[threadIdx.x % 64], 1);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 65);
  run(device, {.block = dim3(65)}, oob_variable, from.data());
}
