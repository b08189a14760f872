// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void barrier_in_ragged_loop(int* to) {
  int sum = 0;
  for (unsigned i = 0; i <= threadIdx.x / 32; ++i) {
    sum += __syncthreads_count(1);
  }
  to[threadIdx.x] = sum;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 64);
  run(device, {.block = dim3(64)}, barrier_in_ragged_loop, to.data());
}
