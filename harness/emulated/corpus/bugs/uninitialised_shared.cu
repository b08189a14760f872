// bug: uninitialised (shared)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void uninitialised_shared(int* to) {
  __shared__ int sums[32];
  sums[threadIdx.x] += static_cast<int>(threadIdx.x);
  to[threadIdx.x] = sums[threadIdx.x];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 32);
  run(device, {.block = dim3(32)}, uninitialised_shared, to.data());
}
