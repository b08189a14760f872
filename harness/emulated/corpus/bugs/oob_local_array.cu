// bug: out of bounds (local)
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void oob_local_array(int* to, int n) {
  int mine[4] = {}, other[64] = {};
  for (int i = 0; i < n; ++i) mine[i % 5] += i;
  to[threadIdx.x] = mine[threadIdx.x % 4] + other[threadIdx.x % 64];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 32);
  run(device, {.block = dim3(32)}, oob_local_array, to.data(), 6);
}
