// bug: shuffle from a lane that does not take part
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void shuffle_from_absent_lane(int* to) {
  if (threadIdx.x < 16)
    to[threadIdx.x] = __shfl_sync(0x0000FFFFu, static_cast<int>(threadIdx.x), 20);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 32);
  run(device, {.block = dim3(32)}, shuffle_from_absent_lane, to.data());
}
