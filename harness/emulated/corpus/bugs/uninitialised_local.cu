// missed: only what a second build gives tells, which ridgeline check makes
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void uninitialised_local(int* to, int n) {
  int mine[4];
  for (int i = 1; i < n; ++i) mine[i] = i;
  to[threadIdx.x] = mine[threadIdx.x % 4] != 77 ? 1 : 0;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 32);
  run(device, {.block = dim3(32)}, uninitialised_local, to.data(), 4);
}
