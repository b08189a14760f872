// bug: stack overflow
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void large_local_array(const int* from, int* to, int n) {
  int mine[20000];
  for (int i = 0; i < n; ++i) mine[i] = from[i % 4];
  to[threadIdx.x] = mine[from[threadIdx.x % 4]];
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 4), to = zeros(device, 32);
  run(device, {.block = dim3(32)}, large_local_array, from.data(), to.data(), 20000);
}
