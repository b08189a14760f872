// bug: cluster of a wrong size
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void cluster_does_not_divide(int* to) { to[blockIdx.x] = 1; }

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 6);
  run(device, {.grid = dim3(6), .block = dim3(1), .cluster = dim3(4)}, cluster_does_not_divide,
      to.data());
}
