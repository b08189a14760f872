// bug: collective with different masks
#include "harness/emulated/corpus/case.hpp"

namespace ridgeline::corpus {
namespace {

__global__ void different_masks(int* to) {
  const unsigned mask = threadIdx.x < 16 ? 0xFFFFFFFFu : 0xFFFF0001u;
  to[threadIdx.x] = __shfl_sync(mask, static_cast<int>(threadIdx.x), 0);
}

}  // namespace
}  // namespace ridgeline::corpus

void ridgeline::check(device::Device& device) {
  using namespace corpus;
  const auto to = zeros(device, 32);
  run(device, {.block = dim3(32)}, different_masks, to.data());
}
