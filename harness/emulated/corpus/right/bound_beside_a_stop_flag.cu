// right
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

// The bound is a hint that may be old; who stops does not ask for it.
__global__ void bound_beside_a_stop_flag(const int* from, volatile int* bound, volatile int* stop,
                                         int* looked) {
  if (threadIdx.x != 0) return;
  const int mine = from[blockIdx.x];
  const int limit = *bound;
  if (*stop != 0) return;
  atomicAdd(looked, mine < limit ? 1 : 0);
  if (mine % 5 != 3) return;
  *bound = mine;
  if (mine == 13) *stop = 1;
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto from = numbers(device, 24), stop = zeros(device, 1), looked = zeros(device, 1);
  const device::Buffer<int> bound(device, std::vector<int>(1, 100));
  run(device, {.grid = dim3(24), .block = dim3(32)}, bound_beside_a_stop_flag, from.data(),
      bound.data(), stop.data(), looked.data());
}
