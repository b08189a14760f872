// bug: race (write after write)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void race_different_values(int* to) {
  __shared__ int chosen;
  chosen = static_cast<int>(threadIdx.x);
  __syncthreads();
  to[threadIdx.x] = chosen;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 32);
  run(device, {.block = dim3(32)}, race_different_values, to.data());
}
