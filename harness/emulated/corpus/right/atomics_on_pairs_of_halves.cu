// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void atomics_on_pairs_of_halves(__half2* sum) {
  atomicAdd(sum, __floats2half2_rn(1, 2));
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto sum = zeros<__half2>(device, 1);
  run(device, {.grid = dim3(2), .block = dim3(32)}, atomics_on_pairs_of_halves, sum.data());
  device::expect(__low2float(sum.download()[0]) == 64, "the sum");
}
