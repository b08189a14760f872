// bug: out of bounds (variable)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__constant__ float taps_of_oob_constant[9];
__global__ void oob_constant(float* to) {
  float sum = 0;
  for (unsigned i = 0; i <= 9; ++i) sum += taps_of_oob_constant[i];
  to[threadIdx.x] = sum;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros<float>(device, 32);
  taps_of_oob_constant[0] = 1;  // so that the compiler does not know them
  run(device, {.block = dim3(32)}, oob_constant, to.data());
}
